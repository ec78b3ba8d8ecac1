// host/cli/run_graphviz.h: the program that makes pictures of DOT text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/status.h"

namespace opsrun::host {

// Ok if the program 'dot' is on the PATH, else NOT_FOUND: to be asked before the work that its picture takes.
Status FindGraphviz();

// What 'dot -Tsvg' makes of `text`; the program is the one on the PATH, and no shell is asked. NOT_FOUND if there is
// none; otherwise an error with the first thing that the program said.
Result<std::string> SvgOf(std::string_view text);

}  // namespace opsrun::host

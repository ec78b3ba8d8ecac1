// host/cli/run_graphviz.h: runs the program that draws DOT text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/status.h"

namespace opsrun::host {

// Ok if the program 'dot' is on the PATH, otherwise NOT_FOUND. Call it before the work that the picture needs.
Status FindGraphviz();

// The output of 'dot -Tsvg' for `text`. The program is looked up on the PATH, without a shell. NOT_FOUND if there is
// none; otherwise an error with the first line of the program's message.
Result<std::string> SvgOf(std::string_view text);

}  // namespace opsrun::host

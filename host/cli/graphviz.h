// host/cli/graphviz.h: runs the program 'dot' of Graphviz, which draws pictures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/status.h"
#include "host/cli/console.h"

namespace opsrun::host {

// The path of the program. NOT_FOUND if there is none.
Result<std::string> FindDot();

// What 'dot' draws of `text`, without a shell; format: "svg", "png" or "pdf". NOT_FOUND if there is no such program;
// otherwise an error with the first line of its message.
Result<std::string> PictureOf(std::string_view text, const std::string& format);

// Reports an error of the two (R505). Returns the exit status.
int ReportGraphviz(const Status& status, Console& console);

}  // namespace opsrun::host

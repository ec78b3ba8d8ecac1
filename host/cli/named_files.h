// host/cli/named_files.h: files that are named on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/console.h"
#include "host/cli/shared_options.h"
#include "host/graph/graph_files.h"

namespace opsrun::host {

// False after an error (P102) with the reason.
bool CanRead(const std::string& file, Console& console);

// The files that the words and the graph name; graph: may be null.
std::vector<GraphFile> FilesInUse(const Graph* graph, const std::vector<FeedArgument>& feeds);

// Error U007 if `file`, which `option` names, is one of them. Nothing if it is empty or "-".
std::optional<Diagnostic> RefuseFileInUse(const std::string& option, const std::string& file,
                                          const std::vector<GraphFile>& in_use);

// Writes to `file`, completely or not at all, or to standard output if it is empty or "-". False after an error (R504).
bool WriteText(std::string_view text, const std::string& file, Console& console);

}  // namespace opsrun::host

// host/cli/named_files.h: files and programs that a command uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
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

// Where a program is that opsrun starts.

// The absolute path of a program in the folders of PATH, or an empty text. Entries that are relative to the current
// folder are left out: a graph of somebody else may lie there, with a program beside it.
std::string FindProgram(const std::string& name);

// Runs the program that draws DOT text.

// Ok if the program 'dot' is on the PATH, otherwise NOT_FOUND. Call it before the work that the picture needs.
Status FindGraphviz();

// The output of 'dot -Tsvg' for `text`. The program is looked up on the PATH, without a shell. NOT_FOUND if there is
// none; otherwise an error with the first line of the program's message.
Result<std::string> SvgOf(std::string_view text);

}  // namespace opsrun::host

// host/cli/named_files.h: files and programs that a command uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/base/status.h"
#include "host/cli/console.h"
#include "host/cli/shared_options.h"
#include "host/graph/graph.h"

namespace opsrun::host {

// False after an error (P102) with the reason.
bool CanRead(const std::string& file, Console& console);

// The files that the feed arguments and the graph name; graph: may be null.
std::vector<GraphFile> FilesInUse(const Graph* graph, const std::vector<FeedArgument>& feeds);

// Error U007 if `file`, the value of `option`, is one of them. Nothing if it is empty or "-".
std::optional<Diagnostic> RefuseFileInUse(const std::string& option, const std::string& file,
                                          const std::vector<GraphFile>& in_use);

// Writes to `file`, completely or not at all, or to standard output if it is empty or "-". False after an error (R504).
bool WriteText(std::string_view text, const std::string& file, Console& console);

// Finds programs to start.

// The absolute path of a program in PATH; empty if there is none. Relative entries of PATH are skipped: the current
// folder may contain another person's graph with a program next to it.
std::string FindProgram(const std::string& name);

// Runs the program that draws DOT text.

// OK if the program 'dot' is in PATH, otherwise NOT_FOUND. Call it before the work that the picture needs.
Status FindGraphviz();

// The output of 'dot -Tsvg' for `text`. The program is looked up in PATH, without a shell. NOT_FOUND if there is none;
// otherwise an error with the first line of the program's message.
Result<std::string> SvgOf(std::string_view text);

}  // namespace opsrun::host

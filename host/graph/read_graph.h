// host/graph/read_graph.h: a graph file to a Graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/graph/graph.h"

namespace opsrun::host {

// Reads the file, "-" for standard input. Fails if it cannot be read at all.
Result<std::shared_ptr<const SourceFile>> ReadSource(const std::string& path);

// What could be made of the text; every mistake in it is an error in `diagnostics` (G0xx YAML, G1xx the format, F1xx
// feeds), and parts with mistakes are left out, so that what is left can be checked too. Nothing if it is no graph at
// all.
std::optional<Graph> ReadGraph(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics);

}  // namespace opsrun::host

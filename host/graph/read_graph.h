// host/graph/read_graph.h: reads a graph file into a Graph.
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

// The graph without the parts that have errors, so that the rest can be checked too. Every error is in `diagnostics`
// (G0xx YAML, G1xx the format, F1xx feeds). Nothing if the text is not a graph.
std::optional<Graph> ReadGraph(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics);

}  // namespace opsrun::host

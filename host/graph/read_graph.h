// host/graph/read_graph.h: reads a graph file into a Graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Reads the file, "-" for standard input. An error only if it cannot be read.
Result<std::shared_ptr<const SourceFile>> ReadSource(const std::string& path);

// Returns the graph without the parts that have errors, so that the rest can also be checked. Adds all errors to
// `diagnostics` (G0xx YAML, G1xx the format, F1xx feeds). Nothing if the text is not a graph.
std::optional<Graph> ReadGraph(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics);

// The same for a tree made in memory, which has no locations.
std::optional<Graph> ReadTree(Value root, std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics);

// The sections of a graph file. Each function adds what it reads to `graph`, and corrects misspelled keys.

// Checks the key `opsrun`. what: "graph" or "gradient". Returns false if the text states a format that cannot be read.
// Other problems are errors G101.
bool CheckFormat(const Value& root, const char* what, Reporter& reporter);

// Values are converted. Names of invalid feeds are added to left_out. A feed without a value has a dtype.
void ReadFeeds(Value& section, Graph& graph, Reporter& reporter);

// Names of invalid nodes are added to left_out. of_gradient: the graph is the declared gradient of an op.
void ReadNodes(Value& section, bool of_gradient, Graph& graph, Reporter& reporter);

// If a node has the name of a feed, drops the node (G103).
void DropNodesNamedLikeFeeds(Graph& graph, Reporter& reporter);

// Drops invalid checks. Expected values are not converted, because their data type is that of the value to check.
void ReadChecks(Value& section, Graph& graph, Reporter& reporter);

}  // namespace opsrun::host

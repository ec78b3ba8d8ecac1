// host/graph/read_graph.h: reads a graph file, and the graph that an op declares as its gradient, into a Graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/yaml/simple_lines.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// Reads the file, "-" for standard input. An error only if it cannot be read.
Result<std::shared_ptr<const SourceFile>> ReadSource(const std::string& path);

// Returns the graph without the parts that have errors, so that the rest can also be checked. Adds all errors to
// `diagnostics` (G0xx YAML, G1xx the format, F1xx feeds). Nothing if the text is not a graph.
std::optional<Graph> ReadGraph(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics);

// The same for a tree made in memory, which has no locations.
std::optional<Graph> ReadTree(Value root, std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics);

// The sections of a graph file. Each function adds what it reads to `graph`, and corrects misspelled keys.

// Checks the key `opsrun`, or `key`. what: "graph" or "gradient". Returns false if the text states a format that cannot
// be read. Other problems are errors G101.
bool CheckFormat(const Value& root, const char* what, Reporter& reporter, const char* key = "opsrun");

// Values are converted. Names of invalid feeds are added to left_out. A feed without a value has a dtype.
void ReadFeeds(Value& section, Graph& graph, Reporter& reporter);

// Names of invalid nodes are added to left_out. of_gradient: the graph is the declared gradient of an op.
// before: nodes that come before those of the section; null: none.
void ReadNodes(Value& section, bool of_gradient, Graph& graph, Reporter& reporter, SimpleLines* before = nullptr);

// If a node has the name of a feed, drops the node (G103).
void DropNodesNamedLikeFeeds(Graph& graph, Reporter& reporter);

// Drops invalid checks. Expected values are not converted, because their data type is that of the value to check.
void ReadChecks(Value& section, Graph& graph, Reporter& reporter);

// The graph that an op declares as its gradient.
//
// It has the sections feeds (constants), nodes and outputs of a graph file. A node may have `each`. `outputs` has a
// tensor, a list or null for each input of the op. `slices` declares gradients that are zero except for a few slices.

// The gradient of one input of the op.
struct GradientOutput {
  Located<std::string> input;
  bool list = false;            // written as a list
  std::vector<Reference> from;  // one, unless it is a list or null
  bool null = false;            // the input has no gradient
  Span span;
};

// An alternative form of the gradient of one input: zeros in the shape of the input, to which slice i of `values` is
// added at index i of `indices` along dimension `axis`. Programs with a type for such tensors then need no memory for
// the zeros. References are to inputs of the op and to gradients of its outputs.
struct GradientSlices {
  Located<std::string> input;
  Reference values;
  Reference indices;
  bool vectors = false;           // each index is a vector along the last dimension of `indices`, as in GatherNd
  std::optional<Reference> axis;  // a scalar; default: dimension 0
  int64_t batch_dims = 0;         // number of leading dimensions that the input and `indices` have in common
};

struct DeclaredGradient {
  Graph graph;  // constants and nodes
  std::vector<GradientOutput> outputs;
  std::vector<GradientSlices> slices;
  Span outputs_span;
};

// Returns nothing, and at least one error with a location in `source`, if any part is invalid. root: the parsed text of
// `source`, in which attrs of the op were already replaced by their values.
std::optional<DeclaredGradient> ReadGradient(Value root, std::shared_ptr<const SourceFile> source,
                                             Diagnostics& diagnostics);

// Maps with fixed keys: the file's root, a feed, a node, an output; names and references.

struct Fields {
  std::string owner;                 // "a node"
  std::vector<std::string> allowed;  // in the order of the documentation
  std::vector<std::string> later;    // keys of the format that this version does not support
};

// Reports keys that are neither allowed nor begin with "x-" (G102, G104). Requires: a map.
void CheckKeys(const Value& map, const Fields& fields, Reporter& reporter);

// The same, but also corrects unknown keys, to avoid further errors. An unknown key becomes the allowed key that it
// resembles, if the map lacks that one. Otherwise the map becomes incomplete, because the key may be any of those
// missing.
void CorrectKeys(Value& map, const Fields& fields, Reporter& reporter);

// True if `value` is of the kind; otherwise adds an error G105, "<what> must be a map, found a list", with `help`.
bool CheckKind(const Value& value, Value::Kind kind, std::string_view what, std::string_view help, Reporter& reporter);

// The text of a nonempty string, or nothing and an error G105.
std::optional<Located<std::string>> ReadText(const Value& value, std::string_view what, std::string_view help,
                                             Reporter& reporter);

// Reads a key that the map may lack. False after an error G105.
bool TakeText(const Value& map, std::string_view key, std::string_view help, std::optional<Located<std::string>>& to,
              Reporter& reporter);
bool TakeFlag(const Value& map, const char* key, bool& to, Reporter& reporter);

// Reads 'key', the name of an array in the archive 'npz'. Returns `otherwise` if it is missing; nothing and an error if
// there is no 'npz' (G106) or the value is not a text (G105). Requires: a map.
std::optional<Located<std::string>> ReadArrayKey(const Value& map, Located<std::string> otherwise, Reporter& reporter);

// Moves the value to `to`; returns false if there is none.
template <typename From, typename To>
bool Take(std::optional<From> from, To& to) {
  if (from) to = *std::move(from);
  return from.has_value();
}

// True if a feed or a node can have this name: [A-Za-z_][A-Za-z0-9_-]*
bool IsName(std::string_view text);

// True if the key is a valid name; otherwise adds an error G107. what: "a feed", "a node" ...
bool CheckName(const Value::Entry& entry, const std::string& what, Reporter& reporter);

// Reads "node", "node.output" or "node.output.i". Checks only the form, not whether the node or feed exists. Returns
// nothing and an error G108 for other forms. of_lists: also accepts "list.i".
std::optional<Reference> ReadReference(const Value& value, Reporter& reporter, bool of_lists = false);

}  // namespace opsrun::host

// host/show/wiring.h: resolves the references of a graph for a picture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// The source of an arrow.
struct Source {
  enum class Kind { kNothing, kFeed, kNode };
  Kind kind = Kind::kNothing;  // kNothing: the name is unknown or has an error
  uint32_t index = 0;
  int arg = -1;                  // output argument of a node; -1: unknown
  bool element = false;          // of a list output
  std::vector<uint32_t> values;  // empty if unknown
};

class Wiring {
 public:
  // Both must outlive this object.
  Wiring(const Graph& graph, const Resolution& resolution);

  Source Find(const Reference& reference) const;

  // The result of planning the node; empty if it was not planned.
  const ResolvedNode& Resolved(size_t node) const;

  // "float32 [2, 3]", "3 x float32 [2]", "3 tensors"; empty for none.
  std::string TypeText(const std::vector<uint32_t>& values) const;

 private:
  Source FindOutput(uint32_t node, const Reference& reference) const;

  const Graph& graph_;
  const Resolution& resolution_;
  std::unordered_map<std::string_view, Source> names_;
};

// The input argument that input `i` of `node` is for, by position or by name; -1 if there is none.
int InputArg(const Node& node, const ResolvedNode& resolved, size_t i);

// Assigns errors to the parts of a graph.

using Mistakes = std::vector<const Diagnostic*>;

// By the places of the errors in the file; warnings are ignored.
struct MistakesByPart {
  std::vector<Mistakes> feeds;    // same order as in the graph
  std::vector<Mistakes> nodes;    // same order
  std::vector<Mistakes> outputs;  // same order
  Mistakes others;                // including those of parts that are missing because of them
};

// The result refers to `diagnostics`.
MistakesByPart SortMistakes(const Graph& graph, const Diagnostics& diagnostics);

}  // namespace opsrun::host

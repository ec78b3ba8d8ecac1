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

// Where an arrow begins.
struct Source {
  enum class Kind { kNothing, kFeed, kNode };
  Kind kind = Kind::kNothing;  // kNothing: there is nothing of that name, or it has an error
  uint32_t index = 0;
  int arg = -1;                  // output argument of a node; -1: not known
  bool element = false;          // of a list output
  std::vector<uint32_t> values;  // empty if unknown
};

class Wiring {
 public:
  // Both must outlive it.
  Wiring(const Graph& graph, const Resolution& resolution);

  Source Find(const Reference& reference) const;

  // The op of a node, its signature and so on; empty for a node that was not planned.
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
  std::vector<Mistakes> feeds;    // as the graph's
  std::vector<Mistakes> nodes;    // as the graph's
  std::vector<Mistakes> outputs;  // as the graph's
  Mistakes others;                // also those of parts that the graph lacks because of them
};

// The result refers to `diagnostics`.
MistakesByPart SortMistakes(const Graph& graph, const Diagnostics& diagnostics);

}  // namespace opsrun::host

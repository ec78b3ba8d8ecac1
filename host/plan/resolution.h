// host/plan/resolution.h: what planning found out about each node and each tensor of a graph, for people.
//
// Kept also where the graph has mistakes: then what depends on one is missing. Names what outlives it: the graph and
// the registry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/dtype.h"
#include "host/graph/graph.h"
#include "host/plugin/registry.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

struct ResolvedDim {
  int64_t size = -1;  // -1: known only at run time
  uint32_t unknown =
      0;  // of an unknown one: k > 0 is Resolution::unknowns[k - 1], one size wherever it stands; 0: alone
};

struct ResolvedShape {
  bool rank_known = false;
  std::vector<ResolvedDim> dims;
};

// A tensor that flows through the graph.
struct ResolvedValue {
  DType dtype = DType::kInvalid;
  ResolvedShape shape;
};

struct ResolvedNode {
  static constexpr uint32_t kNone = ~uint32_t{0};

  const RegisteredOp* op = nullptr;          // null: no such op
  std::optional<spec::Signature> signature;  // attrs and types; nothing after a mistake in them
  std::vector<uint32_t> inputs;              // values, lists flattened; with a signature
  uint32_t first_output = kNone;             // its outputs are consecutive values; with a signature
  const RegisteredKernel* kernel = nullptr;  // null: a mistake before it was chosen, or none fits
};

// An unknown size that several dimensions share: where it stands first.
struct SharedUnknown {
  uint32_t value = 0;
  int32_t dim = 0;
};

struct Resolution {
  std::vector<uint32_t> feed_values;  // by feed; ResolvedNode::kNone for one with a mistake
  std::vector<ResolvedNode> nodes;    // by node, as the graph has them
  std::vector<ResolvedValue> values;
  std::vector<SharedUnknown> unknowns;
  std::vector<uint32_t> order;  // nodes, as they would run
};

// "?a" for 1, "?z" for 26, "?aa" for 27; "?" for 0.
std::string UnknownName(uint32_t unknown);

// "[2, 3]"; "[?a, 3]", where ?a is one size wherever it stands; "[?, 3]"; "?" for an unknown rank.
std::string ResolvedShapeText(const ResolvedShape& shape);

// What each value is called in the graph: "x" (a feed), "z", "z.sum" (of a node with several outputs), "s.parts.0".
std::vector<std::string> ValueNames(const Resolution& resolution, const Graph& graph);

}  // namespace opsrun::host

// host/plan/resolution.h: the results of planning for each node and each tensor of a graph, for people.
//
// It exists even if the graph has errors; results that depend on them are missing. It refers to the graph and the
// registry, which must outlive it.
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
      0;  // of an unknown size: k > 0 is Resolution::unknowns[k - 1], the same size everywhere; 0: independent
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
  std::optional<spec::Signature> signature;  // attrs and types; nothing after an error in them
  std::vector<uint32_t> inputs;              // values, lists flattened; with a signature
  uint32_t first_output = kNone;             // its outputs are consecutive values; with a signature
  const RegisteredKernel* kernel = nullptr;  // null: there was an error before the choice, or none fits
  std::string device;                        // with a kernel: where it runs, "gpu:0"
};

// An unknown size that several dimensions share: its first occurrence.
struct SharedUnknown {
  uint32_t value = 0;
  int32_t dim = 0;
};

struct Resolution {
  std::vector<uint32_t> feed_values;  // by feed; ResolvedNode::kNone for one with an error
  std::vector<ResolvedNode> nodes;    // by node, as the graph has them
  std::vector<ResolvedValue> values;
  std::vector<SharedUnknown> unknowns;
  std::vector<uint32_t> order;  // nodes, in execution order
};

// "?a" for 1, "?z" for 26, "?aa" for 27; "?" for 0.
std::string UnknownName(uint32_t unknown);

// "[2, 3]"; "[?a, 3]", where ?a is the same size everywhere; "[?, 3]"; "?" for an unknown rank.
std::string ResolvedShapeText(const ResolvedShape& shape);

// The name of each value in the graph: "x" (a feed), "z", "z.sum" (of a node with several outputs), "s.parts.0".
std::vector<std::string> ValueNames(const Resolution& resolution, const Graph& graph);

}  // namespace opsrun::host

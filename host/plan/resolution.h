// host/plan/resolution.h: the results of planning for each node and tensor of a graph, for people.
//
// Available even if the graph has errors; results that depend on them are missing. The graph and the registry must
// outlive it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/dtype.h"
#include "host/graph/graph.h"
#include "host/plugin/plugin.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

struct ResolvedDim {
  int64_t size = -1;     // -1: unknown before the run
  uint32_t unknown = 0;  // unknown size: k > 0 is Resolution::unknowns[k - 1], the same size everywhere; 0: independent
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
  std::optional<spec::Signature> signature;  // attrs and types; nothing after an error
  std::vector<uint32_t> inputs;              // values, with lists flattened; requires a signature
  uint32_t first_output = kNone;             // outputs are consecutive values; requires a signature
  const RegisteredKernel* kernel = nullptr;  // null: an earlier error, or none matches
  std::string device;                        // where it runs, "gpu:0"; requires a kernel
};

// The first occurrence of an unknown size that several dimensions share.
struct SharedUnknown {
  uint32_t value = 0;
  int32_t dim = 0;
};

struct Resolution {
  std::vector<uint32_t> feed_values;  // by feed; ResolvedNode::kNone after an error
  std::vector<ResolvedNode> nodes;    // by node of the graph
  std::vector<ResolvedValue> values;
  std::vector<SharedUnknown> unknowns;
  std::vector<uint32_t> order;  // nodes, in execution order
};

// "?a" for 1, "?z" for 26, "?aa" for 27; "?" for 0.
std::string UnknownName(uint32_t unknown);

// "[2, 3]"; "[?a, 3]", where ?a is the same size everywhere; "[?, 3]"; "?" for an unknown rank.
std::string ResolvedShapeText(const ResolvedShape& shape);

// The name of output i of a node: "z", "z.sum" (if it has several outputs), "s.parts.0".
std::string OutputName(const std::string& node, const std::vector<spec::ArgRange>& outputs, size_t i);

// The name of each value: that of a feed, or of an output.
std::vector<std::string> ValueNames(const Resolution& resolution, const Graph& graph);

}  // namespace opsrun::host

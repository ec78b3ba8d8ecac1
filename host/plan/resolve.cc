// host/plan/resolve.cc: what planning knows, as a Resolution.
// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

constexpr int64_t kUnknown = -1;

// Calls fn(value, i, the dimension that speaks for dimension i) for each dimension of each value.
template <typename Fn>
void ForEachDim(const Planning& p, Fn fn) {
  for (uint32_t value = 0; value < p.value_shapes.size(); ++value) {
    const opsrun_shape* shape = p.value_shapes[value];
    for (int32_t i = 0; i < shape->rank; ++i) fn(value, i, p.shapes.Find(shape->dims[i]));
  }
}

// How often each unknown size stands somewhere.
std::unordered_map<const opsrun_dim*, uint32_t> CountUnknowns(const Planning& p) {
  std::unordered_map<const opsrun_dim*, uint32_t> counts;
  ForEachDim(p, [&](uint32_t, int32_t, const opsrun_dim* dim) {
    if (dim->value == kUnknown) ++counts[dim];
  });
  return counts;
}

}  // namespace

void ResolveNode(Planning& p, const NodeWork& work) {
  if (p.in.resolution == nullptr) return;
  p.in.resolution->nodes.resize(p.graph.nodes.size());
  const NodeState& state = p.nodes[work.index];
  ResolvedNode& node = p.in.resolution->nodes[work.index];
  node.op = work.op;
  node.kernel = work.kernel;
  if (work.kernel != nullptr) node.device = p.plan.devices[work.device].name;
  if (!state.types_known) return;
  node.signature = work.signature;
  node.inputs = work.inputs;
  node.first_output = state.first_value;
}

void ResolveValues(Planning& p) {
  if (p.in.resolution == nullptr) return;
  Resolution& resolution = *p.in.resolution;
  resolution.nodes.resize(p.graph.nodes.size());
  resolution.feed_values = p.feed_values;
  resolution.order = p.order;
  for (uint32_t value = 0; value < p.plan.values.size(); ++value) {
    resolution.values.push_back({p.plan.values[value].dtype, {p.value_shapes[value]->rank >= 0, {}}});
  }
  const std::unordered_map<const opsrun_dim*, uint32_t> counts = CountUnknowns(p);
  std::unordered_map<const opsrun_dim*, uint32_t> numbers;
  ForEachDim(p, [&](uint32_t value, int32_t i, const opsrun_dim* dim) {
    ResolvedDim& resolved = resolution.values[value].shape.dims.emplace_back(ResolvedDim{dim->value, 0});
    if (dim->value != kUnknown || counts.at(dim) < 2) return;
    const auto [number, first] = numbers.emplace(dim, resolution.unknowns.size() + 1);
    if (first) resolution.unknowns.push_back({value, i});
    resolved.unknown = number->second;
  });
}

}  // namespace opsrun::host

// host/plan/planning.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/planning.h"

#include <fmt/format.h>

#include <algorithm>

namespace opsrun::host {

Diagnostic& Planning::Error(std::string code, std::string message, Span where, std::string label) {
  Diagnostic& error = diagnostics.Error(std::move(code), std::move(message));
  error.file = graph.source->path;
  error.where = where;
  error.label = std::move(label);
  return error;
}

uint32_t Planning::AddValue(DType dtype, const opsrun_shape* shape) {
  PlanValue value;
  value.dtype = dtype;
  plan.values.push_back(std::move(value));
  value_shapes.push_back(shape);
  return static_cast<uint32_t>(plan.values.size() - 1);
}

const Tensor* Planning::ConstantOf(uint32_t value) const {
  const PlanValue& v = plan.values[value];
  return v.memory == PlanValue::Memory::kConstant ? &plan.constants[v.offset] : nullptr;
}

std::string Planning::Origin(uint32_t value) const {
  for (size_t i = 0; i < feed_values.size(); ++i) {
    if (feed_values[i] == value) return fmt::format("feed '{}'", graph.feeds[i].name.value);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const spec::ArgRange& range : nodes[i].outputs) {
      const uint32_t first = nodes[i].first_value + range.first;
      if (value < first || value >= first + range.count) continue;
      const std::string name = fmt::format("{}.{}", graph.nodes[i].name.value, range.name);
      return range.list ? fmt::format("'{}.{}'", name, value - first) : fmt::format("'{}'", name);
    }
  }
  return "a value";
}

std::vector<std::string> Planning::AllNames() const {
  std::vector<std::string> all;
  all.reserve(graph.feeds.size() + graph.nodes.size());
  for (const Feed& feed : graph.feeds) all.push_back(feed.name.value);
  for (const Node& node : graph.nodes) all.push_back(node.name.value);
  return all;
}

bool Planning::LeftOut(const std::string& name) const {
  return std::find(graph.left_out.begin(), graph.left_out.end(), name) != graph.left_out.end();
}

}  // namespace opsrun::host

// host/plan/planning.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/planning.h"

#include <fmt/format.h>

#include "host/base/diagnostic.h"

namespace opsrun::host {

Planning::Planning(const PlanInputs& inputs, Diagnostics& found, Plan& the_plan)
    : in(inputs),
      graph(*inputs.graph),
      diagnostics(found),
      plan(the_plan),
      left_out(graph.left_out.begin(), graph.left_out.end()) {
  for (const OpTrouble& trouble : inputs.loaded->trouble) troubles.emplace(trouble.op, &trouble);
}

Diagnostic& Planning::Error(Code code, std::string message, Span where, std::string label) {
  Diagnostic& error = diagnostics.Error(code, std::move(message));
  error.file = graph.source->path;
  error.where = where;
  error.label = std::move(label);
  return error;
}

Diagnostic& Planning::Warning(Code code, std::string message, Span where) {
  Diagnostic& warning = diagnostics.Warning(code, std::move(message));
  warning.file = graph.source->path;
  warning.where = where;
  return warning;
}

uint32_t Planning::AddValue(DType dtype, const opsrun_shape* shape) {
  PlanValue value;
  value.dtype = dtype;
  value.rank_known = shape->rank >= 0;
  plan.values.push_back(std::move(value));
  value_shapes.push_back(shape);
  elements.push_back(nullptr);
  fold_cost.push_back(PlanValue::kNone);
  return static_cast<uint32_t>(plan.values.size() - 1);
}

const Tensor* Planning::ConstantOf(uint32_t value) const {
  const PlanValue& v = plan.values[value];
  return v.memory == PlanValue::Memory::kConstant ? &plan.constants[v.offset] : nullptr;
}

void Planning::ReportUnknownName(const std::string& name, Span where) {
  Diagnostic& error = Error("G204", fmt::format("nothing is named '{}'", name), where, "not a feed and not a node");
  if (!IsWorthExplaining()) return;
  std::vector<std::string> all;
  all.reserve(graph.feeds.size() + graph.nodes.size());
  for (const Feed& feed : graph.feeds) all.push_back(feed.name.value);
  for (const Node& node : graph.nodes) all.push_back(node.name.value);
  SuggestName(error, name, all, "feeds and nodes");
}

// Nobody reads as many, and an explanation may look at every node.
bool Planning::IsWorthExplaining() const {
  constexpr size_t kRead = 100;
  return diagnostics.all().size() <= kRead;
}

const OpTrouble* Planning::TroubleWith(const std::string& op) const {
  const auto found = troubles.find(op);
  return found == troubles.end() ? nullptr : found->second;
}

bool Planning::LeftOut(const std::string& name) const {
  return left_out.count(name) > 0;
}

}  // namespace opsrun::host

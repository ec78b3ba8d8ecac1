// host/measure/node_facts.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/measure/node_facts.h"

#include <algorithm>

namespace opsrun::host {
namespace {

bool IsShapeKnown(const PlanValue& value) {
  return value.rank_known && std::find(value.shape.begin(), value.shape.end(), -1) == value.shape.end();
}

std::string TextOf(const PlanValue& value) {
  return DTypeName(value.dtype) + " " + (IsShapeKnown(value) ? ShapeText(value.shape) : "[...]");
}

std::optional<uint64_t> BytesOf(const PlanValue& value) {
  if (!IsShapeKnown(value)) return std::nullopt;
  const std::optional<int64_t> elements = NumElements(value.shape);
  if (!elements) return std::nullopt;
  return static_cast<uint64_t>(*elements) * DTypeSize(value.dtype);
}

void AddValue(const PlanValue& value, std::vector<std::string>& texts, std::optional<uint64_t>& bytes) {
  texts.push_back(TextOf(value));
  const std::optional<uint64_t> more = BytesOf(value);
  bytes = bytes && more ? std::optional(*bytes + *more) : std::nullopt;
}

}  // namespace

std::vector<NodeFacts> FactsOf(const Plan& plan) {
  std::vector<NodeFacts> all;
  all.reserve(plan.steps.size());
  for (const Step& step : plan.steps) {
    NodeFacts facts{plan.NodeOf(step).name.value, step.op->def.name, step.op->plugin->name, {}, {}, 0, ""};
    if (plan.devices.size() > 1) facts.device = plan.devices[step.device].name;
    for (const uint32_t value : step.inputs) AddValue(plan.values[value], facts.inputs, facts.bytes);
    for (const uint32_t value : step.outputs) AddValue(plan.values[value], facts.outputs, facts.bytes);
    all.push_back(std::move(facts));
  }
  return all;
}

}  // namespace opsrun::host

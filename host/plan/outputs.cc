// host/plan/outputs.cc: what the graph gives back.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/plan/planning.h"

namespace opsrun::host {

std::optional<uint32_t> FindSingleValue(Planning& p, const Reference& from) {
  if (p.names.find(from.name) == p.names.end()) {
    if (!p.LeftOut(from.name)) p.ReportUnknownName(from.name, from.span);
    return std::nullopt;
  }
  bool list = false;
  const std::optional<std::vector<uint32_t>> values = FindValues(p, from, &list);
  if (!values) return std::nullopt;
  if (!list) return values->front();
  const spec::OpDef& op = p.nodes[p.names.at(from.name).index].op->def;
  const std::string name = from.output.empty() ? op.outputs.front().name : from.output;
  p.Error("G208", fmt::format("output '{}' of node '{}' is a list of {}", name, from.name, values->size()), from.span)
      .help.push_back(fmt::format("say which element: '{}.{}.0'", from.name, name));
  return std::nullopt;
}

void PlanOutputs(Planning& p) {
  for (const GraphOutput& output : p.graph.outputs) {
    const std::optional<uint32_t> value = FindSingleValue(p, output.from);
    if (!value) continue;
    const DType dtype = p.plan.values[*value].dtype;
    if (!HasValues(dtype)) {
      p.Error("G221", fmt::format("'{}' is {}, which has no value outside a run", output.name.value, DTypeName(dtype)),
              output.from.span)
          .help.push_back("give it to a node that reads it, and take that node's output");
      continue;
    }
    p.plan.values[*value].kept = true;
    p.plan.outputs.push_back({&output, *value});
  }
}

}  // namespace opsrun::host

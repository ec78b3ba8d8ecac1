// host/plan/outputs.cc: what the graph gives back.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

void PlanOneOutput(Planning& p, const GraphOutput& output) {
  const Reference& from = output.from;
  if (p.names.find(from.name) == p.names.end()) {
    if (p.LeftOut(from.name)) return;
    p.ReportUnknownName(from.name, from.span);
    return;
  }
  bool list = false;
  const std::optional<std::vector<uint32_t>> values = FindValues(p, from, &list);
  if (!values) return;
  if (list) {
    const spec::OpDef& op = p.nodes[p.names.at(from.name).index].op->def;
    const std::string name = from.output.empty() ? op.outputs.front().name : from.output;
    p.Error("G208", fmt::format("output '{}' of node '{}' is a list of {}", name, from.name, values->size()), from.span)
        .help.push_back(fmt::format("say which element: '{}.{}.0'", from.name, name));
    return;
  }
  p.plan.values[values->front()].result = true;
  p.plan.outputs.push_back({&output, values->front()});
}

}  // namespace

void PlanOutputs(Planning& p) {
  for (const GraphOutput& output : p.graph.outputs) PlanOneOutput(p, output);
}

}  // namespace opsrun::host

// host/plan/plan.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/plan.h"

#include <algorithm>

#include "host/base/plugin_code.h"

namespace opsrun::host {

size_t Plan::ArenaBytes(const PlanValue& value) const {
  const size_t alignment = devices[value.device].alignment;
  const size_t bytes = static_cast<size_t>(*NumElements(value.shape)) * DTypeSize(value.dtype);
  return std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
}

PluginCodeFacts FactsOfNode(const Plugin* plugin, const RegisteredOp& op, const Node& node, const SourceFile* source,
                            PluginPhase phase) {
  PluginCodeFacts facts = plugin == nullptr ? PluginCodeFacts{} : plugin->Facts(phase);
  facts.phase = phase;
  facts.op = op.def.name;
  facts.node = node.name.value;
  facts.source = source;
  facts.where = node.op.span;
  return facts;
}

PluginCodeFacts Plan::Facts(const Step& step, PluginPhase phase) const {
  return FactsOfNode(step.kernel->plugin, *step.op, NodeOf(step), graph_->source.get(), phase);
}

Plan::~Plan() {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->kernel == nullptr || step->kernel->destroy == nullptr) continue;
    const Attached attached(devices[step->device].device);
    const opsrun_host* host = step->kernel->plugin == nullptr ? nullptr : step->kernel->plugin->host;
    CallAtEnd(SingleCall(Facts(*step, PluginPhase::kDestroy)), host, [&] { step->kernel->destroy(step->object); });
  }
}

}  // namespace opsrun::host

// host/plan/plan.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/plan.h"

#include <algorithm>

#include "host/base/plugin_code.h"

namespace opsrun::host {

size_t ArenaBytes(const PlanValue& value) {
  constexpr size_t kAlignment = 64;
  const size_t bytes = static_cast<size_t>(*NumElements(value.shape)) * DTypeSize(value.dtype);
  return std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
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
    const opsrun_host* host = step->kernel->plugin == nullptr ? nullptr : step->kernel->plugin->host;
    CallAtEnd(SingleCall(Facts(*step, PluginPhase::kDestroy)), host, [&] { step->kernel->destroy(step->object); });
  }
}

}  // namespace opsrun::host

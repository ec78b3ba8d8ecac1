// host/plan/call_plugin.cc: the calls of plugins while a plan is made.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/plugin_code.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

void Log(const opsrun_host* host, void* where, const std::string& text) {
  host->log(where, OPSRUN_LOG_WARNING, {text.data(), text.size()}, {}, 0);
}

// A kernel may be in another plugin than its op.
const Plugin* PluginOf(const NodeWork& work, PluginPhase phase) {
  return phase == PluginPhase::kShape ? work.op->plugin : work.kernel->plugin;
}

std::string CalledText(const NodeWork& work, PluginPhase phase) {
  return phase == PluginPhase::kShape ? fmt::format("the shape function of op '{}'", work.op->def.name)
                                      : fmt::format("the constructor of the kernel of op '{}'", work.op->def.name);
}

void ReportThrown(Planning& p, const NodeWork& work, PluginPhase phase, const Thrown& thrown) {
  const Plugin* plugin = PluginOf(work, phase);
  const Code code = thrown.out_of_memory ? Code("D401") : Code("R408");
  Diagnostic& error =
      p.Error(code, fmt::format("{} {}", CalledText(work, phase), thrown.Sentence()), work.node->op.span);
  if (!thrown.out_of_memory)
    error.help.emplace_back("report it to the plugin's author: no exception may leave a plugin");
  if (plugin != nullptr) error.notes.push_back(fmt::format("plugin '{}' ({})", plugin->name, plugin->path));
}

}  // namespace

bool CallPlugin(Planning& p, const NodeWork& work, PluginPhase phase, void* where, const std::function<void()>& code) {
  const SingleCall call(FactsOfNode(PluginOf(work, phase), *work.op, *work.node, p.graph.source.get(), phase));
  const RunningMark mark(&call);
  const FloatingPointMode floats;
  const std::optional<Thrown> thrown = CatchThrown(code);
  if (const std::string changed = floats.Restore(); !changed.empty()) {
    Log(p.in.host, where,
        fmt::format("node '{}': {} changed {}; opsrun set it back", work.node->name.value, CalledText(work, phase),
                    changed));
  }
  if (thrown) ReportThrown(p, work, phase, *thrown);
  return !thrown;
}

}  // namespace opsrun::host

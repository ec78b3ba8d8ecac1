// host/plugin/plugin.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin.h"

#include <algorithm>

namespace opsrun::host {

Plugin::~Plugin() {
  if (shutdown == nullptr) return;
  CallAtEnd(SingleCall(Facts(PluginPhase::kShutdown)), host, [this] { shutdown(host); });
}

PluginCodeFacts Plugin::Facts(PluginPhase phase) const {
  PluginCodeFacts facts;
  facts.phase = phase;
  facts.path = path;
  facts.name = name;
  facts.version = version;
  facts.host = host;
  return facts;
}

bool Plugin::HasOp(std::string_view op) const {
  return std::any_of(ops.begin(), ops.end(), [&](const RegisteredOp& each) { return each.def.name == op; });
}

bool Plugin::HasKernel(std::string_view op) const {
  return std::any_of(kernels.begin(), kernels.end(), [&](const RegisteredKernel& each) { return each.def.op == op; });
}

}  // namespace opsrun::host

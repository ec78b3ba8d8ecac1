// SPDX-License-Identifier: Apache-2.0
#include "host/run/held_tensors.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "host/base/display_text.h"
#include "host/base/plugin_code.h"

namespace opsrun::host {
namespace {

std::string OwnerNow() {
  if (RunningCode() == nullptr) return "a thread of a plugin";
  const PluginCodeFacts facts = RunningCode()->Facts();
  if (facts.node.empty()) return fmt::format("plugin '{}'", facts.name);
  return fmt::format("node '{}' (op {})", facts.node, facts.op);
}

}  // namespace

void HeldTensors::Add(const void* tensor, size_t bytes) {
  std::string owner = OwnerNow();
  const std::lock_guard<std::mutex> lock(mutex_);
  held_[tensor] = {std::move(owner), bytes};
}

void HeldTensors::Remove(const void* tensor) {
  const std::lock_guard<std::mutex> lock(mutex_);
  held_.erase(tensor);
}

std::vector<std::string> HeldTensors::NeverReleased() const {
  std::map<std::string, std::pair<size_t, size_t>> sums;  // how many tensors, and their bytes
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [tensor, held] : held_) {
      ++sums[held.owner].first;
      sums[held.owner].second += held.bytes;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [owner, sum] : sums) {
    lines.push_back(fmt::format("{} never released {}, {} in all", owner, Several(sum.first, "tensor"),
                                Several(sum.second, "byte")));
  }
  return lines;
}

}  // namespace opsrun::host

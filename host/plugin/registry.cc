// host/plugin/registry.cc: look-up.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/registry.h"

#include <algorithm>
#include <utility>

namespace opsrun::host {

Registry::~Registry() {
  while (!plugins_.empty()) plugins_.pop_back();
}

// What this one had goes to `other`, whose destructor lets go of it.
Registry& Registry::operator=(Registry&& other) noexcept {
  std::swap(plugins_, other.plugins_);
  std::swap(visible_, other.visible_);
  std::swap(qualified_, other.qualified_);
  std::swap(kernels_for_, other.kernels_for_);
  return *this;
}

const RegisteredOp* Registry::FindOp(std::string_view name) const {
  const auto& ops = name.find('.') == std::string_view::npos ? visible_ : qualified_;
  auto found = ops.find(name);
  return found == ops.end() ? nullptr : found->second;
}

const std::vector<const RegisteredKernel*>& Registry::KernelsFor(const RegisteredOp& op) const {
  static const std::vector<const RegisteredKernel*> kNone;
  auto found = kernels_for_.find(&op);
  return found == kernels_for_.end() ? kNone : found->second;
}

std::vector<const RegisteredOp*> Registry::Ops() const {
  std::vector<const RegisteredOp*> ops;
  for (const auto& plugin : plugins_) {
    for (const RegisteredOp& op : plugin->ops) ops.push_back(&op);
  }
  std::stable_sort(ops.begin(), ops.end(), [](const auto* a, const auto* b) { return a->def.name < b->def.name; });
  return ops;
}

}  // namespace opsrun::host

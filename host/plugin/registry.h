// host/plugin/registry.h: resolves the ops of a graph among the plugins that it needs, and their kernels. Read-only.
// Several registries may share plugins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/plugin/plugin.h"

namespace opsrun::host {

class Registry {
 public:
  Registry() = default;
  Registry(Registry&&) = default;
  Registry& operator=(Registry&& other) noexcept;
  ~Registry();  // releases the plugins in reverse order of opening

  // The op as a graph names it: "ZeroOut", "Ns>Name", or "plugin.Name"; null if there is none.
  const RegisteredOp* FindOp(std::string_view name) const;

  // The kernels that may serve `op`, which must belong to this registry: those of its own plugin, and those of plugins
  // without an op of that name, unless another op of that name hides it. In the order of the files.
  const std::vector<const RegisteredKernel*>& KernelsFor(const RegisteredOp& op) const;

  const std::vector<std::shared_ptr<const Plugin>>& plugins() const { return plugins_; }
  std::vector<const RegisteredOp*> Ops() const;  // by name

 private:
  friend class RegistryBuilder;
  std::vector<std::shared_ptr<const Plugin>> plugins_;                 // in the order of opening
  std::map<std::string, const RegisteredOp*, std::less<>> visible_;    // by op name
  std::map<std::string, const RegisteredOp*, std::less<>> qualified_;  // by plugin.op
  std::map<const RegisteredOp*, std::vector<const RegisteredKernel*>> kernels_for_;
};

}  // namespace opsrun::host

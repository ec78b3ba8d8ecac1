// host/plugin/registry.h: the ops and kernels of the plugins that were opened. Frozen once returned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/spec/kernel_choice.h"
#include "host/spec/op_def.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// A plugin that is open. It stays so as long as the process lives.
struct Plugin {
  std::string path;
  std::string name;
  std::string version;
  void (*shutdown)() = nullptr;
};

struct RegisteredOp {
  spec::OpDef def;
  int32_t (*shape)(void*, opsrun_shape_call*) = nullptr;
  void* shape_ctx = nullptr;
  const Plugin* plugin = nullptr;
};

struct RegisteredKernel {
  spec::KernelDef def;
  int32_t (*create)(void*, opsrun_create*, void**) = nullptr;
  int32_t (*compute)(void*, opsrun_call*) = nullptr;
  void (*destroy)(void*) = nullptr;
  void* ctx = nullptr;
  uint32_t flags = 0;             // OPSRUN_KERNEL_*
  std::vector<uint32_t> aliases;  // triples
  const Plugin* plugin = nullptr;
};

class Registry {
 public:
  Registry() = default;
  Registry(Registry&&) = default;
  Registry& operator=(Registry&& other) noexcept;
  // Calls each plugin's shutdown, last opened first. Destroy plans before.
  ~Registry();

  // The op as a graph names it: "ZeroOut", "Ns>Name", or "plugin.Name"; null if there is none.
  const RegisteredOp* FindOp(std::string_view name) const;

  // The kernels that may serve `op`, which is one of this registry's: those of its own plugin, and, unless another op
  // of that name hides it, those of plugins that have no op of that name. In the order of the files.
  const std::vector<const RegisteredKernel*>& KernelsFor(const RegisteredOp& op) const;

  const std::vector<std::unique_ptr<Plugin>>& plugins() const { return plugins_; }
  std::vector<const RegisteredOp*> Ops() const;  // by name

 private:
  friend class RegistryBuilder;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  std::vector<std::unique_ptr<RegisteredOp>> ops_;
  std::vector<std::unique_ptr<RegisteredKernel>> kernels_;
  std::map<std::string, const RegisteredOp*, std::less<>> visible_;    // by op name
  std::map<std::string, const RegisteredOp*, std::less<>> qualified_;  // by plugin.op
  std::map<const RegisteredOp*, std::vector<const RegisteredKernel*>> kernels_for_;
};

}  // namespace opsrun::host

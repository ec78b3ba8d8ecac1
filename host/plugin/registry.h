// host/plugin/registry.h: finds the ops of a graph and their kernels in the plugins that it needs. Read-only.
// Registries can share plugins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/examine/catalog.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

class Registry {
 public:
  Registry() = default;
  Registry(Registry&&) = default;
  Registry& operator=(Registry&& other) noexcept;
  ~Registry();  // releases the plugins in reverse order of opening

  // Finds an op as a graph names it: "ZeroOut", "Ns>Name", or "plugin.Name"; null if there is none.
  const RegisteredOp* FindOp(std::string_view name) const;

  // The kernels for `op`, which must belong to this registry: those of its own plugin and, unless another op of the
  // same name hides it, those of plugins without an op of that name. In the order of the files.
  const std::vector<const RegisteredKernel*>& KernelsFor(const RegisteredOp& op) const;

  const std::vector<std::shared_ptr<const Plugin>>& plugins() const { return plugins_; }
  std::vector<const RegisteredOp*> Ops() const;  // sorted by name

 private:
  friend class RegistryBuilder;
  std::vector<std::shared_ptr<const Plugin>> plugins_;                 // in the order of opening
  std::map<std::string, const RegisteredOp*, std::less<>> visible_;    // by op name
  std::map<std::string, const RegisteredOp*, std::less<>> qualified_;  // by plugin.op
  std::map<const RegisteredOp*, std::vector<const RegisteredKernel*>> kernels_for_;
};

// Combines opened files into a Registry, and decides which ops hide others. catalog must outlive this object.
class RegistryBuilder {
 public:
  explicit RegistryBuilder(const Catalog& catalog) : catalog_(catalog) {}

  // plugin: the file of entry `entry`. Call in the order in which files were opened, because plugins are shut down in
  // reverse.
  void Add(size_t entry, std::shared_ptr<const Plugin> plugin);

  Registry Finish();

  // Messages about kernels that Finish dropped, one line each.
  std::vector<std::string> TakeMessages() { return std::move(messages_); }

 private:
  struct File {
    size_t entry = 0;
    const Plugin* plugin = nullptr;
  };
  bool HasOp(const File& file, const std::string& op) const;
  bool Hidden(const File& file, const std::string& op) const;
  void CollectKernels(const File& file, const RegisteredOp* op);

  const Catalog& catalog_;
  std::vector<File> files_;
  std::unordered_map<std::string_view, std::vector<std::pair<const File*, const RegisteredKernel*>>>
      kernels_of_;  // by op
  Registry registry_;
  std::vector<std::string> messages_;
};

}  // namespace opsrun::host

// host/plugin/registry_builder.h: combines opened files into a Registry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/plugin/catalog.h"
#include "host/plugin/registry.h"

namespace opsrun::host {

// Applies the rules of hiding to the opened files. catalog is borrowed.
class RegistryBuilder {
 public:
  explicit RegistryBuilder(const Catalog& catalog) : catalog_(catalog) {}

  // The plugin is the file of entry `entry`. Call it in the order in which files were opened: shutdown uses the reverse
  // order.
  void Add(size_t entry, std::shared_ptr<const Plugin> plugin);

  Registry Finish();

  // Kernels that Finish left out, a line each.
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
  Registry registry_;
  std::vector<std::string> messages_;
};

}  // namespace opsrun::host

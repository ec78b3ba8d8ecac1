// host/plugin/registry_builder.h: files that were opened, put together into a Registry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "host/plugin/catalog.h"
#include "host/plugin/open_plugin.h"
#include "host/plugin/registry.h"

namespace opsrun::host {

// Applies the rules of hiding to what was opened. catalog is borrowed.
class RegistryBuilder {
 public:
  explicit RegistryBuilder(const Catalog& catalog) : catalog_(catalog) {}

  // Takes all of the file of entry `entry`. Call it in the order in which files were opened: shutdown goes backwards.
  void Add(size_t entry, OpenedPlugin opened);

  Registry Finish();

 private:
  struct File {
    size_t entry = 0;
    std::vector<std::string> dropped_ops;
    std::vector<const RegisteredOp*> ops;
    std::vector<const RegisteredKernel*> kernels;
  };
  bool HasOp(const File& file, const std::string& op) const;
  bool Hidden(const File& file, const std::string& op) const;
  void CollectKernels(const File& file, const RegisteredOp* op);

  const Catalog& catalog_;
  std::vector<File> files_;
  Registry registry_;
};

}  // namespace opsrun::host

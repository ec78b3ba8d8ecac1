// adapters/common/engine.h: the functions of opsrun/embed_host.h as adapters call them: what fails is thrown, and
// results are freed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "failure.h"
#include "opsrun/embed_host.h"

namespace opsrun_adapter {

template <auto free>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    free(object);
  }
};
using OwnedTypedOp = std::unique_ptr<opsrun_typed_op, Free<opsrun_typed_op_destroy>>;
using OwnedKernel = std::unique_ptr<opsrun_kernel_object, Free<opsrun_kernel_object_destroy>>;
using OwnedShapes = std::unique_ptr<opsrun_shapes, Free<opsrun_shapes_free>>;
using OwnedGradient = std::unique_ptr<opsrun_gradient, Free<opsrun_gradient_free>>;

// They throw if they fail; `what` begins the text.
OwnedKernel MakeKernel(const opsrun_typed_op* op, const std::string& what);
OwnedShapes InferShapes(const opsrun_typed_op* op, const std::vector<opsrun_known_input>& inputs,
                        const std::string& what);
OwnedGradient Differentiate(const opsrun_typed_op* op, const std::vector<opsrun_known_sizes>& shapes,
                            const std::string& what);

// Name, path, and ops.
using Plugin = std::tuple<std::string, std::string, std::vector<std::string>>;

// The plugins of the process, and the table that calls of the adapter give to kernels. Copies are the same engine,
// which is never destroyed: a framework keeps what is registered until the process ends.
class Engine {
 public:
  // directories: to search for plugins. make_table: as HostTable::Make. Throws like all methods.
  Engine(const std::vector<std::string>& directories, const opsrun_host* (*make_table)(const opsrun_host* engine));

  // Opens a plugin file.
  std::string AddPlugin(const std::string& path) const;  // the plugin's name
  // All that are in use.
  std::vector<Plugin> Plugins() const;
  // What `opsrun explain --json` prints. op: "plugin.Op".
  std::string Describe(const std::string& op) const;
  OwnedTypedOp TypeOp(const std::string& op, const std::vector<opsrun_op_input>& inputs,
                      const std::vector<opsrun_attr>& attrs, const std::string& what) const;
  const opsrun_host* table() const { return table_; }

 private:
  opsrun_engine* engine_ = nullptr;
  const opsrun_host* table_ = nullptr;
};

}  // namespace opsrun_adapter

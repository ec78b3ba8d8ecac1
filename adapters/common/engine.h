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

// What a function of the library makes, whose last two arguments are where the result and the report go. Throws if it
// fails; `what` begins the text.
template <typename Owned, typename Fn, typename... Args>
Owned Make(const std::string& what, Fn fn, Args... args) {
  typename Owned::pointer made = nullptr;
  opsrun_report* report = nullptr;
  const int32_t code = fn(args..., &made, &report);
  Owned owned(made);
  Check(code, report, what);
  return owned;
}

inline OwnedKernel MakeKernel(const opsrun_typed_op* op, const std::string& what) {
  return Make<OwnedKernel>(what, opsrun_typed_op_make_kernel, op, opsrun_str{"cpu", 3});
}

// The number of elements, as the library takes it.
template <typename T>
uint32_t CountOf(const std::vector<T>& list) {
  return static_cast<uint32_t>(list.size());
}

// Name, path, and ops.
using Plugin = std::tuple<std::string, std::string, std::vector<std::string>>;

// The plugins of the process, and the table that calls of the adapter give to kernels. Copies are the same engine,
// which is never destroyed: a framework keeps what is registered until the process ends.
class Engine {
 public:
  // directories: to search for plugins. make_table: as HostTable::Make. Throws like all methods.
  Engine(const std::vector<std::string>& directories, const opsrun_host* (*make_table)(const opsrun_host* engine));

  // Opens a plugin file.
  void AddPlugin(const std::string& path) const;
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

// adapters/tensorflow/native/kernel.h: a kernel object of a plugin, ready to be called.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/container/inlined_vector.h"
#include "typed_op.h"

namespace opsrun_tf {

// Everything that a call needs, stored together: in a graph of many nodes, the objects of a node are rarely in the
// cache. Read-only: any thread.
class Kernel {
 public:
  struct Type {
    int32_t dtype;
    opsrun_dldtype dl;
  };

  // Throws Failure if there is no kernel, if its constructor rejects the attrs, or if TensorFlow stores a type in
  // another layout.
  explicit Kernel(const TypedOp& op);
  Kernel(const Kernel&) = delete;

  const opsrun_host* table() const { return table_; }
  const opsrun_kernel_object* get() const { return kernel_.get(); }
  // Call it before building a call, so that the plugin's object is in the cache when compute reads it.
  void Prefetch() const { __builtin_prefetch(object_); }
  int32_t Compute(opsrun_call* call) const { return compute_(object_, call); }
  uint32_t n_in() const { return n_in_; }
  uint32_t n_out() const { return static_cast<uint32_t>(types_.size()) - n_in_; }
  const Type& in_type(size_t i) const { return types_[i]; }
  const Type& out_type(size_t i) const { return types_[n_in_ + i]; }

 private:
  void AddTypes(const int32_t* types, uint32_t n);

  const opsrun_host* const table_;
  int32_t (*compute_)(void* object, opsrun_call* call) = nullptr;
  void* object_ = nullptr;
  opsrun_adapter::OwnedKernel kernel_;
  const uint32_t n_in_;
  absl::InlinedVector<Type, 4> types_;  // of inputs, then of outputs
};

}  // namespace opsrun_tf

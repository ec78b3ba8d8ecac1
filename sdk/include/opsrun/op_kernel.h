// opsrun/op_kernel.h: OpKernel, the base class of kernels, and REGISTER_KERNEL_BUILDER.
//
// A kernel object is created once for a node. It may serve several threads, and several nodes that have equal attrs and
// types. So state that changes during a call belongs on the stack of Compute, not in members, unless a mutex guards it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include <string>

#include "opsrun/internal/signature.h"
#include "opsrun/kernel_def.h"
#include "opsrun/namespace.h"
#include "opsrun/op_kernel_construction.h"
#include "opsrun/op_kernel_context.h"
#include "opsrun/op_requires.h"
#include "opsrun/tensor.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class OpKernel {
 public:
  // Read and check attrs in the constructor of the derived class. `context` is valid until that constructor returns.
  explicit OpKernel(OpKernelConstruction* context) : signature_(*context->create(), this) {}
  // is_deferred is ignored: every kernel may return before its work on a device has ended.
  OpKernel(OpKernelConstruction* context, bool /*is_deferred*/) : OpKernel(context) {}
  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;
  virtual ~OpKernel() = default;

  // Executes the kernel once: makes every output, or sets a status. Several threads may call it concurrently. It must
  // not wait for another kernel.
  virtual void Compute(OpKernelContext* context) = 0;
  virtual bool IsExpensive() { return true; }

  // The label of the node, for messages only. It may be empty, and several nodes may share this object.
  const std::string& name() const { return signature_.node(); }
  std::string_view name_view() const { return signature_.node(); }
  const std::string& type_string() const { return signature_.op(); }
  std::string_view type_string_view() const { return signature_.op(); }
  // The node. Requires #include "tensorflow/core/framework/node_def.pb.h".
  template <typename Node = NodeDef>
  const Node& def() const {
    return internal::KeptNode<Node>::Of(signature_);
  }
  int num_inputs() const { return signature_.inputs().size(); }
  DataType input_type(int i) const { return signature_.inputs().type(i); }
  DataTypeVector input_types() const { return signature_.inputs().AllTypes(); }
  MemoryTypeVector input_memory_types() const { return signature_.inputs().memory_types(); }
  // The flat indices [*begin, *end) of an argument. INVALID_ARGUMENT: the op has no argument of that name.
  ReturnedStatus InputRange(std::string_view name, int* begin, int* end) const {
    return signature_.inputs().FindBounds(name, begin, end);
  }
  // "input 2 ('indices')", for messages only.
  std::string requested_input(int i) const { return signature_.inputs().Describe(i); }
  int num_outputs() const { return signature_.outputs().size(); }
  DataType output_type(int i) const { return signature_.outputs().type(i); }
  DataTypeVector output_types() const { return signature_.outputs().AllTypes(); }
  MemoryTypeVector output_memory_types() const { return signature_.outputs().memory_types(); }
  ReturnedStatus OutputRange(std::string_view name, int* begin, int* end) const {
    return signature_.outputs().FindBounds(name, begin, end);
  }
  // Empty: the host chooses the device.
  std::string requested_device() const { return {}; }

  const internal::Signature& signature() const { return signature_; }
  // For gpu_watch.h: the faults that were reported to the user.
  uint32_t* told_gpu_faults() { return &told_gpu_faults_; }

 private:
  const internal::Signature signature_;
  uint32_t told_gpu_faults_ = 0;
};

}  // namespace OPSRUN_HIDDEN

#include "opsrun/internal/trampoline.h"

// REGISTER_KERNEL_BUILDER(Name("Op").Device(DEVICE_CPU).TypeConstraint<T>("T"), Class<T>), at namespace scope, with or
// without a semicolon. The name of the class may contain commas.
#define REGISTER_KERNEL_BUILDER(definition, ...) OPSRUN_REGISTER_KERNEL(__COUNTER__, definition, __VA_ARGS__)
#define REGISTER_SYSTEM_KERNEL_BUILDER(definition, ...) REGISTER_KERNEL_BUILDER(definition, __VA_ARGS__)
#define OPSRUN_REGISTER_KERNEL(counter, definition, ...)                                                          \
  OPSRUN_TEXT_NOTE(OPSRUN_JOIN(opsrun_kernel_note_, counter), OPSRUN_NOTE_KERNEL,                                 \
                   (::OPSRUN_NAMESPACE::register_kernel::definition), (::OPSRUN_NAMESPACE::KernelDefBuilder(""))) \
  __attribute__((unused)) static ::OPSRUN_NAMESPACE::internal::KernelRegistration OPSRUN_JOIN(                    \
      opsrun_kernel_, counter)(::OPSRUN_NAMESPACE::register_kernel::definition,                                   \
                               &::OPSRUN_NAMESPACE::internal::CreateKernel<__VA_ARGS__>, OPSRUN_COMPUTE_ON_GPU);

// A plugin without CUDA sources may still register GPU kernels, which call the driver themselves.
#ifdef OPSRUN_GPU_RUNTIME
#define OPSRUN_COMPUTE_ON_GPU \
  &::OPSRUN_NAMESPACE::internal::ComputeGpuKernel, &::OPSRUN_NAMESPACE::internal::ComputeWaitingGpuKernel
#else
#define OPSRUN_COMPUTE_ON_GPU &::OPSRUN_NAMESPACE::internal::ComputeKernel, &::OPSRUN_NAMESPACE::internal::ComputeKernel
#endif

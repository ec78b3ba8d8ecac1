// opsrun/internal/tensorflow_context.h: methods of OpKernelContext that only TensorFlow's sources use. opsrun does not
// implement them: they return constants, fail the call, or do not compile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "opsrun/array_slice.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class Allocator;
class Env;
class OpMutableInputList;
class mutex;

// Where a node was created in Python, which a host does not know.
struct ManagedStackTrace {};

namespace internal {

[[noreturn]] OPSRUN_COLD inline void FailRef() {
  Fail(Error(error::UNIMPLEMENTED,
             "The kernel uses an input or output by reference; opsrun has no Ref types: keep state that changes in a "
             "resource"));
}

// The base class of `Context`, which is OpKernelContext.
template <typename Context>
class TensorflowContext {
 public:
  // Inputs and outputs by reference, "Ref(float)" in the spec of an op. opsrun rejects such ops, because a tensor of a
  // graph never changes. So sources with such ops compile, but these calls fail. Mutable state belongs in a resource
  // (resource_mgr.h).
  Tensor mutable_input(int /*i*/, bool /*lock_held*/) { FailRef(); }
  ReturnedStatus mutable_input(std::string_view /*name*/, Tensor* /*tensor*/, bool /*lock_held*/) { FailRef(); }
  ReturnedStatus mutable_input_list(std::string_view /*name*/, OpMutableInputList* /*list*/) { FailRef(); }
  void forward_ref_input_to_ref_output(int /*in*/, int /*out*/) { FailRef(); }
  void replace_ref_input(int /*i*/, const Tensor& /*tensor*/, bool /*lock_held*/) { FailRef(); }
  void delete_ref_input(int /*i*/, bool /*lock_held*/) { FailRef(); }
  mutex* input_ref_mutex(int /*i*/) { FailRef(); }
  void set_output_ref(int /*i*/, mutex* /*lock*/, Tensor* /*tensor*/) { FailRef(); }
  ReturnedStatus set_output_ref(std::string_view /*name*/, mutex* /*lock*/, Tensor* /*tensor*/) { FailRef(); }
  bool input_is_ref(int /*i*/) const { return false; }

  AllocatorAttributes input_alloc_attr(int /*i*/) const { return {}; }
  AllocatorAttributes output_alloc_attr(int /*i*/) const { return {}; }
  bool output_required(int i) const { return self().IsOutputRequired(i); }
  bool output_expects_forwarding(int /*i*/) const { return false; }
  bool is_input_dead() const { return false; }
  std::string session_handle() const { return {}; }
  ManagedStackTrace stack_trace() const { return {}; }

  // The host counts memory itself.
  bool track_allocations() const { return false; }
  void record_temp_memory_allocation(int64 /*bytes*/, const Tensor& /*tensor*/) {}
  void record_persistent_memory_allocation(int64 /*bytes*/, int64 /*id*/ = -1) {}

  // Forwards memory of an input only to an output: these return NULL, or allocate a new tensor.
  std::unique_ptr<Tensor> forward_input(int /*in*/, int /*out*/, DataType, const TensorShape&, MemoryType,
                                        const AllocatorAttributes&) {
    return nullptr;
  }
  ReturnedStatus forward_input_or_allocate_temp(gtl::ArraySlice<int> /*inputs*/, DataType type,
                                                const TensorShape& shape, Tensor* tensor) {
    return self().allocate_temp(type, shape, tensor);
  }
  ReturnedStatus forward_input_or_allocate_temp(gtl::ArraySlice<int> /*inputs*/, DataType type,
                                                const TensorShape& shape, const AllocatorAttributes& attributes,
                                                Tensor* tensor) {
    return self().allocate_temp(type, shape, tensor, attributes);
  }

  // Files and clocks. Requires #include "tensorflow/core/platform/env.h".
  template <typename AnyEnv = Env>
  AnyEnv* env() const {
    return AnyEnv::Default();
  }
  // Allocates host memory. Requires #include "tensorflow/core/framework/allocator.h". UNIMPLEMENTED: device memory,
  // which can be allocated only as a tensor.
  template <typename AnyAllocator = Allocator>
  AnyAllocator* get_allocator(AllocatorAttributes attributes) const {
    if (self().call()->device.type != OPSRUN_DEVICE_CPU && !attributes.on_host()) {
      Fail(errors::Unimplemented("get_allocator gives CPU memory only; use allocate_temp for a device's"));
    }
    return AnyAllocator::Cpu();
  }

  // A source that calls one of these does not compile, and the compiler's message says why.
#define OPSRUN_ONLY_IN_TENSORFLOW(name, instead)                                  \
  template <typename Never = void>                                                \
  Never* name() const {                                                           \
    static_assert(!std::is_void_v<Never>, "opsrun has no " #name "(): " instead); \
    return nullptr;                                                               \
  }
  OPSRUN_ONLY_IN_TENSORFLOW(function_library, "a kernel cannot run functions of a graph; make them nodes of the graph")
  OPSRUN_ONLY_IN_TENSORFLOW(op_device_context, "for the CUDA stream write gpu_stream()")
  OPSRUN_ONLY_IN_TENSORFLOW(cancellation_manager, "ask IsCancelled() regularly")
  OPSRUN_ONLY_IN_TENSORFLOW(rendezvous, "kernels pass tensors through their outputs only")
  OPSRUN_ONLY_IN_TENSORFLOW(session_state, "keep state in a resource: resource_manager()")
  OPSRUN_ONLY_IN_TENSORFLOW(step_container, "keep state in a resource: resource_manager()")
  OPSRUN_ONLY_IN_TENSORFLOW(runner, "the host's threads are device()->tensorflow_cpu_worker_threads()->workers")
#undef OPSRUN_ONLY_IN_TENSORFLOW

 private:
  Context& self() {
    return static_cast<Context&>(*this);
  }
  const Context& self() const {
    return static_cast<const Context&>(*this);
  }
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

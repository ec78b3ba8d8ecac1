// opsrun/op_kernel.h: OpKernel, the base class of kernels; OpKernelConstruction, the argument of its constructor; and
// REGISTER_KERNEL_BUILDER.
//
// A kernel object is created once for a node. It may serve several threads, and several nodes that have equal attrs and
// types. So state that changes during a call belongs on the stack of Compute, not in members, unless a mutex guards it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/internal/attrs.h"
#include "opsrun/internal/gpu_runtime.h"
#include "opsrun/internal/kernel_memory.h"
#include "opsrun/internal/output_slots.h"
#include "opsrun/internal/registration.h"
#include "opsrun/internal/signature.h"
#include "opsrun/kernel_def.h"
#include "opsrun/namespace.h"
#include "opsrun/op_kernel_context.h"
#include "opsrun/op_requires.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class Env;
struct FusedNode;
class NodeDef;
class ResourceMgr;

// The argument of a kernel's constructor, valid while that runs. If the status is not OK when the constructor returns,
// no kernel is created and the graph is rejected with that status.
class OpKernelConstruction {
 public:
  explicit OpKernelConstruction(opsrun_create* create) : create_(create) {}
  OpKernelConstruction(const OpKernelConstruction&) = delete;

  // Reads an attr. NOT_FOUND: there is no attr of that name. INVALID_ARGUMENT: the attr is of another kind, or its
  // value does not fit. T: int32, int64, uint32, float, bool, string, DataType, TensorShape, PartialTensorShape,
  // Tensor, or a vector of one of these.
  template <typename T>
  ReturnedStatus GetAttr(std::string_view name, T* value) const {
    return internal::ReadAttr(attrs(), name, value);
  }
  bool HasAttr(std::string_view name) const { return attrs().Find(name) != nullptr; }

  // The first failure is kept; later ones are ignored.
  void SetStatus(const Status& status) { status_.Update(status); }
  const Status& status() const { return status_; }
  void CtxFailure(const Status& status) { SetStatus(status); }
  void CtxFailure(const char* /*file*/, int /*line*/, const Status& status) { SetStatus(status); }
  void CtxFailureWithWarning(const Status& status) { SetStatus(status); }
  void CtxFailureWithWarning(const char* /*file*/, int /*line*/, const Status& status) { SetStatus(status); }

  // Lists are flattened. The type of an index that is out of range is DT_INVALID.
  int num_inputs() const { return static_cast<int>(create_->n_in); }
  DataType input_type(int i) const { return internal::InputsOf(*create_).type(i); }
  DataTypeVector input_types() const { return internal::InputsOf(*create_).AllTypes(); }
  MemoryTypeVector input_memory_types() const { return internal::InputsOf(*create_).memory_types(); }
  int num_outputs() const { return static_cast<int>(create_->n_out); }
  DataType output_type(int i) const { return internal::OutputsOf(*create_).type(i); }
  DataTypeVector output_types() const { return internal::OutputsOf(*create_).AllTypes(); }
  MemoryTypeVector output_memory_types() const { return internal::OutputsOf(*create_).memory_types(); }
  // INVALID_ARGUMENT unless the data types match exactly.
  ReturnedStatus MatchSignature(const DataTypeVector& inputs, const DataTypeVector& outputs) const {
    return internal::MatchTypes(internal::InputsOf(*create_), internal::OutputsOf(*create_), inputs, outputs);
  }

  // The node, with its attrs. Requires #include "tensorflow/core/framework/node_def.pb.h".
  template <typename Node = NodeDef>
  Node def() const {
    return Node(*create_);
  }

  // Files and clocks. Requires #include "tensorflow/core/platform/env.h".
  template <typename AnyEnv = Env>
  AnyEnv* env() const {
    return AnyEnv::Default();
  }
  // The maximum: graphs of opsrun are not versioned.
  int graph_def_version() const { return std::numeric_limits<int>::max(); }
  DeviceType device_type() const { return create_->device.type == OPSRUN_DEVICE_CPU ? DEVICE_CPU : DEVICE_GPU; }

  // Allocates a tensor that the kernel may keep. Its contents are undefined.
  OPSRUN_COLD ReturnedStatus allocate_temp(DataType type, const TensorShape& shape, Tensor* tensor,
                                           AllocatorAttributes attributes = {}) {
    return internal::AllocateTemporary(create_->host, create_, type, shape, attributes, tensor);
  }

  // The same for a PersistentTensor, of tensorflow/core/framework/op_kernel.h. *tensor may be NULL.
  template <typename Persistent>
  OPSRUN_COLD ReturnedStatus allocate_persistent(DataType type, const TensorShape& shape, Persistent* persistent,
                                                 Tensor** tensor) {
    return internal::AllocatePersistent(this, type, shape, persistent, tensor);
  }

  // Objects that kernels share. Requires #include "opsrun/resource_mgr.h". Valid while the constructor runs.
  ResourceMgr* resource_manager() const { return reinterpret_cast<ResourceMgr*>(create_); }

  // The struct of c_api.h, for direct calls of its functions.
  opsrun_create* create() const { return create_; }

 private:
  internal::AttrList attrs() const { return {create_->attrs, create_->n_attrs}; }

  opsrun_create* create_;
  Status status_;
};

class OpKernel {
 public:
  // Read and check attrs in the constructor of the derived class. `context` is valid until that constructor returns.
  explicit OpKernel(OpKernelConstruction* context) : signature_(*context->create(), this) {}
  // is_deferred is ignored: every kernel may return before its work on a device has ended.
  OpKernel(OpKernelConstruction* context, bool /*is_deferred*/) : OpKernel(context) {}
  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;
  virtual ~OpKernel() = default;

  // See kernel_memory.h. Classes of a larger alignment are allocated as others are.
  static void* operator new(size_t bytes) { return internal::KernelMemory::New(bytes); }
  static void operator delete(void* object, size_t bytes) { internal::KernelMemory::Delete(object, bytes); }
  static void* operator new(size_t bytes, std::align_val_t alignment) { return ::operator new(bytes, alignment); }
  static void operator delete(void* object, size_t, std::align_val_t alignment) {
    ::operator delete(object, alignment);
  }
  static void* operator new(size_t, void* place) { return place; }
  static void operator delete(void*, void*) {}

  // Executes the kernel once: makes every output, or sets a status. Several threads may call it concurrently. It must
  // not wait for another kernel.
  virtual void Compute(OpKernelContext* context) = 0;
  virtual bool IsExpensive() { return true; }
  // See fuse.h.
  virtual int Fuse(const std::vector<FusedNode>& /*nodes*/) { return 1; }

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
  // For gpu_runtime.h: the faults that were reported to the user.
  uint32_t* reported_gpu_faults() { return &reported_gpu_faults_; }

 private:
  const internal::Signature signature_;
  uint32_t reported_gpu_faults_ = 0;
};

// Connects the C calls of c_api.h with a kernel's C++ class, and registers them.

namespace shape_inference {
class InferenceContext;
}

namespace internal {

template <typename Kernel>
int32_t CreateKernel(void* /*ctx*/, opsrun_create* create, void** kernel) {
  return Report(create->host, create, Guarded([&] {
                  OpKernelConstruction construction(create);
                  OpKernel* made = new Kernel(&construction);
                  if (construction.status().ok()) {
                    *kernel = made;
                  } else {
                    delete made;
                  }
                  return construction.status();
                }));
}

template <bool kCommon>
OPSRUN_ALWAYS_INLINE int32_t ComputeWithContext(OpKernel* kernel, opsrun_call* call) {
  OpKernelContext context(call, &kernel->signature());
  return Caught(
      [&]() __attribute__((always_inline)) {
        if (!kCommon) context.Begin();
        kernel->Compute(&context);
        return context.HasNothingToFinish() ? OPSRUN_OK : context.Finish();
      },
      [&]() __attribute__((always_inline)) { return context.FinishThrown(); });
}
// Not inlined, so that a common call saves no registers for it.
__attribute__((noinline)) inline int32_t ComputeUncommon(OpKernel* kernel, opsrun_call* call) {
  return ComputeWithContext<false>(kernel, call);
}
inline int32_t ComputeKernel(void* self, opsrun_call* call) {
  OpKernel* kernel = static_cast<OpKernel*>(self);
  return OpKernelContext::IsCommon(call) ? ComputeWithContext<true>(kernel, call) : ComputeUncommon(kernel, call);
}

#ifdef OPSRUN_GPU_RUNTIME
// For kernels on a GPU. A launch with <<<>>> that fails leaves its error in the plugin's CUDA runtime, which the host
// cannot access. The error is always cleared, because a later call on this thread would report it.
inline int32_t ComputeGpuKernel(void* self, opsrun_call* call) {
  int32_t code = OPSRUN_OK;
  {
    const GpuWatch watch(call, static_cast<OpKernel*>(self)->reported_gpu_faults());
    code = ComputeKernel(self, call);
  }
  const Status left = call->device.type == OPSRUN_DEVICE_CUDA ? TakeGpuError() : Status();
  return code == OPSRUN_OK ? Report(call->host, call, left) : code;
}

// For GPU kernels that may wait for their stream.
inline int32_t ComputeWaitingGpuKernel(void* self, opsrun_call* call) {
  __atomic_fetch_or(static_cast<OpKernel*>(self)->reported_gpu_faults(), kGpuWait, __ATOMIC_RELAXED);
  return ComputeGpuKernel(self, call);
}
#endif

inline void DestroyKernel(void* self) {
  Guarded([&] {
    delete static_cast<OpKernel*>(self);
    return Status();
  });
}

typedef decltype(opsrun_kernel::workspace) WorkspaceFn;

// For classes with WorkspaceBytes: see workspace.h.
template <typename Kernel, typename = decltype(std::declval<const Kernel&>().WorkspaceBytes(
                               std::declval<const std::vector<TensorShape>&>()))>
WorkspaceFn WorkspaceOf(int) {
  return [](void* self, uint32_t n_in, const opsrun_partial* in, uint64_t* bytes) -> int32_t {
    return Guarded([&] {
             std::vector<TensorShape> shapes;
             for (uint32_t i = 0; i < n_in; ++i) shapes.emplace_back(in[i].dims, in[i].rank);
             const int64 asked = static_cast<const Kernel*>(static_cast<OpKernel*>(self))->WorkspaceBytes(shapes);
             if (asked < 0) return errors::Unavailable("unknown");
             *bytes = static_cast<uint64_t>(asked);
             return Status();
           })
        .code();
  };
}
template <typename Kernel>
WorkspaceFn WorkspaceOf(...) {
  return nullptr;
}

// REGISTER_KERNEL_BUILDER defines one static object of this class.
class KernelRegistration {
 public:
  typedef int32_t (*Compute)(void*, opsrun_call*);

  // fuse: of a class that overrides Fuse. compute_on_gpu, waiting_on_gpu: replace ComputeKernel for kernels that are not
  // registered for the CPU.
  KernelRegistration(const KernelDefBuilder& definition, int32_t (*create)(void*, opsrun_create*, void**),
                     WorkspaceFn workspace, const void* (*fuse)(opsrun_str), Compute compute_on_gpu,
                     Compute waiting_on_gpu) {
    if (!definition.Fill(&kernel_))
      registration_.trouble = "A kernel's registration has more constraints or arguments than fit";
    kernel_.create = create;
    const bool waits = (kernel_.flags & OPSRUN_KERNEL_WAITS) != 0;
    kernel_.compute = IsForCpu() ? &ComputeKernel : waits ? waiting_on_gpu : compute_on_gpu;
    kernel_.destroy = &DestroyKernel;
    kernel_.workspace = workspace;
    if (fuse != nullptr) kernel_.flags |= OPSRUN_KERNEL_FUSES;
    registration_.query = fuse;
    registration_.kernel = &kernel_;
    opsrun_sdk_register(&registration_);
  }
  KernelRegistration(const KernelRegistration&) = delete;

 private:
  bool IsForCpu() const { return std::string_view(kernel_.device.data, kernel_.device.size) == DEVICE_CPU; }

  opsrun_kernel kernel_ = {};
  opsrun_sdk_registration registration_ = {};
};

// Calls the shape function of an op from C.

// A template, so that InferenceContext only has to be complete where a shape function is set.
template <typename Fn>
struct InferenceContextFor {
  typedef shape_inference::InferenceContext type;
};

template <typename Fn>
int32_t ShapeTrampoline(void* ctx, opsrun_shape_call* call) {
  return Report(call->host, call, Guarded([&]() -> Status {
                  typename InferenceContextFor<Fn>::type context(call);
                  return (*static_cast<Fn*>(ctx))(&context);
                }));
}

}  // namespace internal

}  // namespace OPSRUN_HIDDEN

// REGISTER_KERNEL_BUILDER(Name("Op").Device(DEVICE_CPU).TypeConstraint<T>("T"), Class<T>), at namespace scope, with or
// without a semicolon. The name of the class may contain commas.
#define REGISTER_KERNEL_BUILDER(definition, ...) OPSRUN_REGISTER_KERNEL(__COUNTER__, definition, __VA_ARGS__)
#define REGISTER_SYSTEM_KERNEL_BUILDER(definition, ...) REGISTER_KERNEL_BUILDER(definition, __VA_ARGS__)
#define OPSRUN_REGISTER_KERNEL(counter, definition, ...)                                                          \
  OPSRUN_TEXT_NOTE(OPSRUN_JOIN(opsrun_kernel_note_, counter), OPSRUN_NOTE_KERNEL,                                 \
                   (::OPSRUN_NAMESPACE::register_kernel::definition), (::OPSRUN_NAMESPACE::KernelDefBuilder(""))) \
  __attribute__((unused)) static ::OPSRUN_NAMESPACE::internal::KernelRegistration OPSRUN_JOIN(                    \
      opsrun_kernel_, counter)(::OPSRUN_NAMESPACE::register_kernel::definition,                                   \
                               &::OPSRUN_NAMESPACE::internal::CreateKernel<__VA_ARGS__>,                          \
                               ::OPSRUN_NAMESPACE::internal::WorkspaceOf<__VA_ARGS__>(0),                         \
                               ::OPSRUN_NAMESPACE::internal::QueryOf<__VA_ARGS__>(0), OPSRUN_COMPUTE_ON_GPU);

// A plugin without CUDA sources may still register GPU kernels, which call the driver themselves.
#ifdef OPSRUN_GPU_RUNTIME
#define OPSRUN_COMPUTE_ON_GPU \
  &::OPSRUN_NAMESPACE::internal::ComputeGpuKernel, &::OPSRUN_NAMESPACE::internal::ComputeWaitingGpuKernel
#else
#define OPSRUN_COMPUTE_ON_GPU &::OPSRUN_NAMESPACE::internal::ComputeKernel, &::OPSRUN_NAMESPACE::internal::ComputeKernel
#endif

#include "opsrun/fuse.h"

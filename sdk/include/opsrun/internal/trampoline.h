// opsrun/internal/trampoline.h: connects the C calls of c_api.h with a kernel's C++ class, and registers them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "opsrun/c_api.h"
#include "opsrun/internal/gpu_watch.h"
#include "opsrun/internal/guard.h"
#include "opsrun/internal/registration.h"
#include "opsrun/namespace.h"
#include "opsrun/op_kernel.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
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

inline int32_t ComputeKernel(void* self, opsrun_call* call) {
  OpKernel* kernel = static_cast<OpKernel*>(self);
  return Report(call->host, call, Guarded([&] {
                  OpKernelContext context(call, &kernel->signature());
                  kernel->Compute(&context);
                  return context.Finish();
                }));
}

#ifdef OPSRUN_GPU_RUNTIME
// For kernels on a GPU. A launch with <<<>>> that fails leaves its error in the plugin's CUDA runtime, which the host
// cannot access. The error is always cleared, because a later call on this thread would report it.
inline int32_t ComputeGpuKernel(void* self, opsrun_call* call) {
  int32_t code = OPSRUN_OK;
  {
    const GpuWatch watch(call, static_cast<OpKernel*>(self)->told_gpu_faults());
    code = ComputeKernel(self, call);
  }
  const Status left = call->device.type == OPSRUN_DEVICE_CUDA ? TakeGpuError() : Status();
  return code == OPSRUN_OK ? Report(call->host, call, left) : code;
}

// For GPU kernels that may wait for their stream.
inline int32_t ComputeWaitingGpuKernel(void* self, opsrun_call* call) {
  __atomic_fetch_or(static_cast<OpKernel*>(self)->told_gpu_faults(), kGpuWait, __ATOMIC_RELAXED);
  return ComputeGpuKernel(self, call);
}
#endif

inline void DestroyKernel(void* self) {
  Guarded([&] {
    delete static_cast<OpKernel*>(self);
    return Status();
  });
}

// REGISTER_KERNEL_BUILDER defines one static object of this class.
class KernelRegistration {
 public:
  typedef int32_t (*Compute)(void*, opsrun_call*);

  // compute_on_gpu, waiting_on_gpu: replace ComputeKernel for kernels that are not registered for the CPU.
  KernelRegistration(const KernelDefBuilder& definition, int32_t (*create)(void*, opsrun_create*, void**),
                     Compute compute_on_gpu, Compute waiting_on_gpu) {
    if (!definition.Fill(&kernel_))
      registration_.trouble = "A kernel's registration has more constraints or arguments than fit";
    kernel_.create = create;
    const bool waits = (kernel_.flags & OPSRUN_KERNEL_WAITS) != 0;
    kernel_.compute = IsForCpu() ? &ComputeKernel : waits ? waiting_on_gpu : compute_on_gpu;
    kernel_.destroy = &DestroyKernel;
    registration_.kernel = &kernel_;
    opsrun_sdk_register(&registration_);
  }
  KernelRegistration(const KernelRegistration&) = delete;

 private:
  bool IsForCpu() const { return std::string_view(kernel_.device.data, kernel_.device.size) == DEVICE_CPU; }

  opsrun_kernel kernel_ = {};
  opsrun_sdk_registration registration_ = {};
};

}  // namespace internal

// Calls the shape function of an op from C.

namespace shape_inference {
class InferenceContext;
}

namespace internal {

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

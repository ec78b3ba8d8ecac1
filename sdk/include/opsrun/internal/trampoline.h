// opsrun/internal/trampoline.h: connects the C calls of c_api.h with a kernel's C++ class, and registers them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"
#include "opsrun/internal/gpu_error.h"
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

// kCuda: the unit uses the CUDA runtime.
template <bool kCuda>
int32_t ComputeKernel(void* self, opsrun_call* call) {
  OpKernel* kernel = static_cast<OpKernel*>(self);
  return Report(call->host, call, Guarded([&] {
                  OpKernelContext context(call, &kernel->signature());
                  kernel->Compute(&context);
                  if constexpr (kCuda) context.SetStatus(GpuError<kCuda>(call));
                  return context.Finish();
                }));
}

inline void DestroyKernel(void* self) {
  Guarded([&] {
    delete static_cast<OpKernel*>(self);
    return Status();
  });
}

// REGISTER_KERNEL_BUILDER defines one static object of this class.
template <bool kCuda>
class KernelRegistrationFor {
 public:
  KernelRegistrationFor(const KernelDefBuilder& definition, int32_t (*create)(void*, opsrun_create*, void**)) {
    if (!definition.Fill(&kernel_))
      registration_.trouble = "A kernel's registration has more constraints or arguments than fit";
    kernel_.create = create;
    kernel_.compute = &ComputeKernel<kCuda>;
    kernel_.destroy = &DestroyKernel;
    registration_.kernel = &kernel_;
    opsrun_sdk_register(&registration_);
  }
  KernelRegistrationFor(const KernelRegistrationFor&) = delete;

 private:
  opsrun_kernel kernel_ = {};
  opsrun_sdk_registration registration_ = {};
};
typedef KernelRegistrationFor<OPSRUN_CUDA_UNIT> KernelRegistration;

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

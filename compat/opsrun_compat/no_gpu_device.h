// opsrun_compat/no_gpu_device.h: Eigen::GpuDevice for sources that are compiled without CUDA: they compile, and a call
// that asks fails.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include "opsrun/internal/device_box.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/internal/failure.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <>
struct DeviceOf<Eigen::GpuDevice> {
  explicit DeviceOf(OpKernelContext*) {
    Fail(Error(
        error::UNIMPLEMENTED,
        "The kernel asks for Eigen::GpuDevice, but its file was compiled without CUDA: add $(opsrun sdk --gpu) to "
        "the compiler's command"));
  }
  [[noreturn]] const Eigen::GpuDevice& device() const { abort(); }  // never called: there is no DeviceOf
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// plugins/math_ops/gpu_blas_library.h: the shared libraries of cuBLAS that this process can open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "gpu_blas_calls.h"

namespace math_ops {

// It stays open when this object goes: its threads and its own destructors do not expect to be unloaded.
class GpuBlasLibrary {
 public:
#define MATH_OPS_CUBLAS_DECLARE(name, parameters) int(*name) parameters = nullptr;
  MATH_OPS_CUBLAS_CALLS(MATH_OPS_CUBLAS_DECLARE)
#undef MATH_OPS_CUBLAS_DECLARE

  static constexpr int kVersions[] = {13, 12, 11};  // the newest first
  // That of a version, or null. Then *problem says why it cannot be used; it stays as it is if the library is not
  // there.
  static std::unique_ptr<const GpuBlasLibrary> Open(int version, std::string* problem);

  const std::string& name() const {
    return name_;
  }

 private:
  bool FindCalls(void* library, std::string* problem);

  std::string name_;
};

// "CUBLAS_STATUS_NOT_SUPPORTED (15)"
std::string CublasStatusText(int status);

}  // namespace math_ops

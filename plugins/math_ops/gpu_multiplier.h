// plugins/math_ops/gpu_multiplier.h: multiplies matrices on a GPU, with cuBLAS or the loop of matmul.cu.cc.
//
// cuBLAS is the shared library libcublas.so.13, .12 or .11, the first that works here. The plugin is not linked against
// it. Without it there is no handle, which is logged once per device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>

#include "matmul.h"

namespace math_ops {

class GpuBlas;

// Belongs to one kernel. cuBLAS multiplies float16, bfloat16, float32 and float64 where it is installed, unless a
// product would take many calls. Thread-safe.
class GpuMultiplier {
 public:
  explicit GpuMultiplier(DataType type);
  // A MatMulLoop.
  Status operator()(OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                    const void* b_data, const Broadcast& batch, void* out) const;

 private:
  // Loads cuBLAS when the first product is computed, since checking a graph does not need it.
  Status FindBlas(GpuBlas** blas) const;

  const DataType type_;
  const MatMulLoop loop_;
  mutable std::mutex mutex_;
  mutable bool is_found_ = false;
  mutable std::shared_ptr<GpuBlas> blas_;  // null: not available
};

}  // namespace math_ops

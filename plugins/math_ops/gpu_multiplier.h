// plugins/math_ops/gpu_multiplier.h: multiplies matrices on a GPU, with cuBLAS or the loop of matmul.cu.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_blas.h"
#include "matmul.h"

namespace math_ops {

// Belongs to one kernel. cuBLAS multiplies float16, bfloat16, float32 and float64 where it is installed, unless a
// product would take many calls. Thread-safe.
class GpuMultiplier {
 public:
  explicit GpuMultiplier(opsrun::DataType type);
  // A MatMulLoop.
  opsrun::Status operator()(opsrun::OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                            const void* b_data, const Broadcast& batch, void* out) const;

 private:
  // Loads cuBLAS when the first product is computed, since checking a graph does not need it.
  opsrun::Status FindBlas(GpuBlas** blas) const;

  const opsrun::DataType type_;
  const MatMulLoop loop_;
  mutable std::mutex mutex_;
  mutable bool is_found_ = false;
  mutable std::shared_ptr<GpuBlas> blas_;  // null: not available
};

}  // namespace math_ops

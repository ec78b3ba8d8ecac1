// plugins/math_ops/gpu_multiplier.h: what multiplies matrices on a GPU: cuBLAS, or the loop of matmul.cu.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>

#include "gpu_blas.h"
#include "matmul.h"
#include "opsrun/op_kernel.h"

namespace math_ops {

// Of one kernel. cuBLAS multiplies float16, bfloat16, float32 and float64 where it is found, unless a product would
// take many calls. Several threads may call it.
class GpuMultiplier {
 public:
  explicit GpuMultiplier(opsrun::DataType type);
  // As a MatMulLoop.
  opsrun::Status operator()(opsrun::OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                            const void* b_data, const Broadcast& batch, void* out) const;

 private:
  // Looked for when the first product is computed, since a graph that is only checked needs none of it.
  opsrun::Status FindBlas(GpuBlas** blas) const;

  const opsrun::DataType type_;
  const MatMulLoop loop_;
  mutable std::mutex mutex_;
  mutable bool is_found_ = false;
  mutable std::shared_ptr<GpuBlas> blas_;  // null: there is none
};

}  // namespace math_ops

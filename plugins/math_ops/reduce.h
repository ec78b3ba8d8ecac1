// plugins/math_ops/reduce.h: reduces a tensor along some of its dimensions, on the host's threads.
//
// The work is divided in the same way on any number of threads, so the result does not depend on their number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "types.h"

namespace math_ops {

// The loops of one reduction for one element type. `acc` points to accumulators; fold_loops.h makes them.
struct FoldLoops {
  int64 acc_bytes;  // at most 16
  // acc[j] = what no elements give, for j in [0, width).
  void (*start)(void* acc, int64 width);
  // Adds the elements in[0] to in[n - 1] to acc[0].
  void (*fold)(void* acc, const void* in, int64 n);
  // Adds the elements in[i * stride + j] to acc[j], for i in [0, rows) and j in [0, width).
  void (*fold_rows)(void* acc, const void* in, int64 rows, int64 stride, int64 width);
  // Adds from[j] to acc[j], for j in [0, width).
  void (*merge)(void* acc, const void* from, int64 width);
  // out[j] = the result of acc[j], to which `count` elements were added, for j in [0, width).
  void (*finish)(const void* acc, void* out, int64 count, int64 width);
};

// Writes the elements of `output`: what the elements of `input` along the reduced dimensions give. reduced[i] is
// whether dimension i goes away. Requires: `output` has as many elements as the other dimensions.
void Reduce(opsrun::OpKernelContext* context, const opsrun::Tensor& input, const bool* reduced, const FoldLoops& loops,
            opsrun::Tensor* output);

// A kernel with the inputs `input` and `reduction_indices`, and the attr keep_dims.
class ReduceKernel : public opsrun::OpKernel {
 public:
  ReduceKernel(opsrun::OpKernelConstruction* context, const FoldLoops* loops);
  void Compute(opsrun::OpKernelContext* context) override;

 protected:
  // Called before the reduction; `count` elements make one.
  virtual opsrun::Status CheckCount(int64 /*count*/, int64 /*outputs*/) const { return opsrun::Status::OK(); }

 private:
  const FoldLoops* const loops_;
  bool keep_dims_ = false;
};

}  // namespace math_ops

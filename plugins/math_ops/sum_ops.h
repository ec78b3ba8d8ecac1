// plugins/math_ops/sum_ops.h: SumToShape and L2Loss on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reduce.h"

namespace math_ops {

// The shape in a vector of int32 or int64. INVALID_ARGUMENT, blaming input "shape": it is not a shape.
Status ReadShape(const Tensor& sizes, TensorShape* shape);

// Sets summed[i] to whether dimension i of the input is summed. INVALID_ARGUMENT: `shape` cannot be broadcast to the
// input's shape.
Status FindSummedDims(const TensorShape& input, const TensorShape& shape, bool* summed);

// Reducer: of a SumFold.
template <typename Reducer>
class SumToShapeOp : public OpKernel {
 public:
  explicit SumToShapeOp(OpKernelConstruction* context) : OpKernel(context), sum_(context->input_type(0)) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    TensorShape shape;
    OP_REQUIRES_OK(context, ReadShape(context->input(1), &shape));
    if (shape == input.shape()) return context->set_output(0, input);
    bool summed[OPSRUN_MAX_RANK];
    OP_REQUIRES_OK(context, FindSummedDims(input.shape(), shape, summed));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    OP_REQUIRES_OK(context, sum_(context, input, summed, output));
  }

 private:
  const Reducer sum_;
};

// Reducer: of a HalfSquaresFold.
template <typename Reducer>
class L2LossOp : public OpKernel {
 public:
  explicit L2LossOp(OpKernelConstruction* context) : OpKernel(context), reduce_(context->input_type(0)) {}

  void Compute(OpKernelContext* context) override {
    bool reduced[OPSRUN_MAX_RANK];
    std::fill(std::begin(reduced), std::end(reduced), true);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    OP_REQUIRES_OK(context, reduce_(context, context->input(0), reduced, output));
  }

 private:
  const Reducer reduce_;
};

}  // namespace math_ops

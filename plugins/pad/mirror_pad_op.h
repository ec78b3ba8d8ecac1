// plugins/pad/mirror_pad_op.h: the kernel of MirrorPadGrad, for any device.
//
// Fold: how a device folds the border of one dimension: Fold::Run(context, axis, edge, outer, inner, in, out) does what
// FoldAxis of mirror_kernel.h does, for all outer indices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "border_op.h"

namespace pad {

// Subtracts the border from the size of the axis, which includes it.
opsrun::Status TakeBorderOff(Axis* axis, int i, Edge edge);

class MirrorPadGradKernel : public opsrun::OpKernel {
 public:
  explicit MirrorPadGradKernel(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, GetEdge(context, &edge_));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::Tensor& input = context->input(kInput);
    Axis axes[kMaxRank];
    OP_REQUIRES_OK(context, CheckShapes(context));
    ReadAxes(context, axes);
    opsrun::TensorShape shape = input.shape();
    int last = -1;
    for (int i = 0; i < input.dims(); ++i) {
      OP_REQUIRES_OK(context, TakeBorderOff(&axes[i], i, edge_));
      shape.set_dim(i, axes[i].size);
      if (axes[i].HasBorder()) last = i;
    }
    if (last < 0) return context->set_output(0, input);
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() > 0) OP_REQUIRES_OK(context, FoldAll(context, axes, last, output));
  }

 protected:
  // Folds the border of dimension i. Tensors have elements of the op's type or sums of them.
  virtual opsrun::Status FoldOne(opsrun::OpKernelContext* context, const Axis& axis, int i, const opsrun::Tensor& from,
                                 opsrun::Tensor* to) const = 0;

  Edge edge_ = Edge::kRepeated;

 private:
  // The first dimension with a border reads the input, the last one writes the output.
  opsrun::Status FoldAll(opsrun::OpKernelContext* context, const Axis* axes, int last, opsrun::Tensor* output) const {
    const opsrun::Tensor* from = &context->input(kInput);
    const bool is_16_bit_float = output->dtype() == opsrun::DT_HALF || output->dtype() == opsrun::DT_BFLOAT16;
    const opsrun::DataType sums = is_16_bit_float ? opsrun::DT_FLOAT : output->dtype();
    opsrun::Tensor folded;
    for (int i = 0; i <= last; ++i) {
      if (!axes[i].HasBorder()) continue;
      opsrun::TensorShape shape = from->shape();
      shape.set_dim(i, axes[i].size);
      opsrun::Tensor next;
      if (i < last) TF_RETURN_IF_ERROR(context->allocate_temp(sums, shape, &next));
      TF_RETURN_IF_ERROR(FoldOne(context, axes[i], i, *from, i < last ? &next : output));
      folded = next;
      from = &folded;
    }
    return opsrun::Status::OK();
  }
};

template <typename T, typename Fold>
class MirrorPadGradOp : public MirrorPadGradKernel {
 public:
  using MirrorPadGradKernel::MirrorPadGradKernel;

 protected:
  opsrun::Status FoldOne(opsrun::OpKernelContext* context, const Axis& axis, int i, const opsrun::Tensor& from,
                         opsrun::Tensor* to) const override {
    int64_t outer = 1, inner = 1;
    for (int k = 0; k < i; ++k) outer *= from.dim_size(k);
    for (int k = i + 1; k < from.dims(); ++k) inner *= from.dim_size(k);
    const auto fold = [&](const auto* in, auto* out) { return Fold::Run(context, axis, edge_, outer, inner, in, out); };
    const auto fold_from = [&](const auto* in) {
      return to->dtype() == opsrun::DataTypeToEnum<T>::value ? fold(in, to->flat<T>().data())
                                                             : fold(in, to->flat<SumOf<T>>().data());
    };
    return from.dtype() == opsrun::DataTypeToEnum<T>::value ? fold_from(from.flat<T>().data())
                                                            : fold_from(from.flat<SumOf<T>>().data());
  }
};

}  // namespace pad

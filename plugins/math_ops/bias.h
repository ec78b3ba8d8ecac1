// plugins/math_ops/bias.h: a bias, which is one number for each channel of a tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"
#include "opsrun/check_shapes.h"
#include "reduce.h"

namespace math_ops {

// The dimension of the channels: 1 if data_format is NCHW, otherwise, also without that attr, the last one.
class Channels {
 public:
  // Context: OpKernelConstruction or InferenceContext.
  template <typename Context>
  Status Read(const Context* context) {
    std::string format;
    const Status status = context->GetAttr("data_format", &format);
    first_ = format == "NCHW";
    return status.code() == error::NOT_FOUND ? Status::OK() : status;
  }

  // -1 is the last dimension.
  int position() const { return first_ ? 1 : -1; }
  // Requires: a rank of at least 2.
  int DimOf(int rank) const { return first_ ? 1 : rank - 1; }

 private:
  bool first_ = false;
};

// The broadcast that adds `bias` to `value`. INVALID_ARGUMENT: `bias` is not a vector with one number per channel.
Status BroadcastBias(const TensorShape& value, const TensorShape& bias, Channels channels, Broadcast* broadcast);

// Base: BinaryOp<Add, ..>, or its GPU counterpart.
template <typename Base>
class BiasAddOp : public Base {
 public:
  explicit BiasAddOp(OpKernelConstruction* context) : Base(context) {
    OP_REQUIRES_OK(context, channels_.Read(context));
  }
  Channels channels() const { return channels_; }

  void Compute(OpKernelContext* context) override {
    const TensorShape value = context->input(0).shape();
    Broadcast broadcast;
    OP_REQUIRES_OK(context, BroadcastBias(value, context->input(1).shape(), channels_, &broadcast));
    this->ComputeBroadcast(context, broadcast, value);
  }

 private:
  Channels channels_;
};

// Reducer: of a SumFold, see reduce.h.
template <typename Reducer>
class BiasAddGradOp : public OpKernel {
 public:
  explicit BiasAddGradOp(OpKernelConstruction* context) : OpKernel(context), sum_(context->input_type(0)) {
    OP_REQUIRES_OK(context, channels_.Read(context));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& out_backprop = context->input(0);
    OP_REQUIRES_OK(context, CheckRankAtLeast(out_backprop.shape(), "out_backprop", 2));
    const int channels = channels_.DimOf(out_backprop.dims());
    bool summed[OPSRUN_MAX_RANK];
    for (int i = 0; i < out_backprop.dims(); ++i) summed[i] = i != channels;
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {out_backprop.dim_size(channels)}, &output));
    OP_REQUIRES_OK(context, sum_(context, out_backprop, summed, output));
  }

 private:
  Channels channels_;
  const Reducer sum_;
};

}  // namespace math_ops

// plugins/math_ops/bias.h: a bias, which is one number for each channel of a tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"

namespace math_ops {

// The dimension of the channels: 1 if data_format is NCHW, otherwise, also without that attr, the last one.
class Channels {
 public:
  // Context: OpKernelConstruction or InferenceContext.
  template <typename Context>
  opsrun::Status Read(const Context* context) {
    std::string format;
    const opsrun::Status status = context->GetAttr("data_format", &format);
    first_ = format == "NCHW";
    return status.code() == opsrun::error::NOT_FOUND ? opsrun::Status::OK() : status;
  }

  // -1 is the last dimension.
  int position() const { return first_ ? 1 : -1; }
  // Requires: a rank of at least 2.
  int DimOf(int rank) const { return first_ ? 1 : rank - 1; }

 private:
  bool first_ = false;
};

// INVALID_ARGUMENT, blaming that input: it has fewer than two dimensions.
opsrun::Status CheckHasChannels(const opsrun::TensorShape& shape, const char* input);

// The broadcast that adds `bias` to `value`. INVALID_ARGUMENT: `bias` is not a vector with one number per channel.
opsrun::Status BroadcastBias(const opsrun::TensorShape& value, const opsrun::TensorShape& bias, Channels channels,
                             Broadcast* broadcast);

// Base: BinaryOp<Add, ..>, or its GPU counterpart.
template <typename Base>
class BiasAddOp : public Base {
 public:
  explicit BiasAddOp(opsrun::OpKernelConstruction* context) : Base(context) {
    OP_REQUIRES_OK(context, channels_.Read(context));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::TensorShape value = context->input(0).shape();
    Broadcast broadcast;
    OP_REQUIRES_OK(context, BroadcastBias(value, context->input(1).shape(), channels_, &broadcast));
    this->ComputeBroadcast(context, broadcast, value);
  }

 private:
  Channels channels_;
};

// Sets summed[i] to whether BiasAddGrad sums over dimension i. INVALID_ARGUMENT: there are fewer than two dimensions.
opsrun::Status FindSummedDims(const opsrun::TensorShape& out_backprop, Channels channels, bool* summed);

}  // namespace math_ops

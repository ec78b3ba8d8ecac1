// plugins/math_ops/relu.h: the functions of Relu and ReluGrad, and what their kernels share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "opsrun/check_shapes.h"
#include "opsrun/op_kernel.h"

namespace math_ops {

// relu(NaN) is NaN.
struct Relu {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) return x;
    return x < T(0) ? T(0) : x;
  }
};

// 0 where the feature is NaN, even if the gradient is infinite or NaN.
struct ReluGrad {
  template <typename T>
  constexpr T operator()(T gradient, T feature) const {
    return feature > T(0) ? gradient : T(0);
  }
};

// A binary kernel for gradients and features, which must have the same shape: broadcasting is an error.
template <typename Kernel>
class OfGradients : public Kernel {
 public:
  using Kernel::Kernel;

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::Tensor &gradients = context->input(0), &features = context->input(1);
    OP_REQUIRES_OK(context, opsrun::CheckShape(gradients.shape(), "gradients", features.shape(), "features"));
    Kernel::Compute(context);
  }
};

}  // namespace math_ops

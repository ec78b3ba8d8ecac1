// plugins/math_ops/clip.h: what ClipByValue on all devices has in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

namespace math_ops {

// A NaN stays NaN, and a NaN bound has no effect. If the bounds are in the wrong order, the result is the lower one.
// The parts of complex numbers are clipped separately.
struct Clip {
  template <typename T>
  constexpr T operator()(T x, T lower, T upper) const {
    if constexpr (kIsComplex<T>) {
      return T((*this)(x.real(), lower.real(), upper.real()), (*this)(x.imag(), lower.imag(), upper.imag()));
    } else {
      const T below = upper < x ? upper : x;
      return below < lower ? lower : below;
    }
  }
};

// The operands for n elements. A bound that does not advance is a single element.
struct ClipRun {
  const void *x, *lower, *upper;
  bool lower_walks, upper_walks;
  void* out;
  int64 n;
};

// INVALID_ARGUMENT: the shape of a bound, the input `name`, is neither a scalar's nor x's.
opsrun::Status CheckBound(const opsrun::TensorShape& x, const opsrun::TensorShape& bound, const char* input);

class ClipKernel : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(opsrun::OpKernelContext* context) override;

 protected:
  // Called only if there are elements.
  virtual opsrun::Status Run(opsrun::OpKernelContext* context, const ClipRun& run) const = 0;
};

}  // namespace math_ops

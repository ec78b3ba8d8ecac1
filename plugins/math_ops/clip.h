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

// Called only if there are elements.
typedef Status (*ClipLoop)(OpKernelContext* context, const ClipRun& run);

class ClipKernel : public OpKernel {
 public:
  ClipKernel(OpKernelConstruction* context, ClipLoop loop) : OpKernel(context), loop_(loop) {}
  void Compute(OpKernelContext* context) override;

 private:
  const ClipLoop loop_;
};

// Loops: for LoopFor.
template <typename Loops, typename Types>
class ClipOp : public ClipKernel {
 public:
  explicit ClipOp(OpKernelConstruction* context)
      : ClipKernel(context, LoopFor<Loops>(context->input_type(0), Types())) {}
};

}  // namespace math_ops

// plugins/math_ops/transcendental.h: kernels for the functions of unary_loops.h, for all floats and complex numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unary.h"

namespace math_ops {

template <UnaryFunction TranscendentalLoops::*kFunction, typename ComplexFunction>
struct TranscendentalLoopsFor {
  template <typename T>
  static void Run(const void* in, void* out, int64 n) {
    const UnaryFunction& function = Loops().*kFunction;
    if constexpr (std::is_same_v<T, float>) {
      function.f32(static_cast<const T*>(in), static_cast<T*>(out), n);
    } else if constexpr (std::is_same_v<T, double>) {
      function.f64(static_cast<const T*>(in), static_cast<T*>(out), n);
    } else {
      RunConverted<T, T>(function.f32, in, out, n);
    }
  }

  template <typename T>
  static UnaryLoop For() {
    if constexpr (kIsComplex<T>) {
      return &UnaryLoops<ComplexFunction>::template Run<T>;
    } else {
      return &Run<T>;
    }
  }
};

template <UnaryFunction TranscendentalLoops::*kFunction, typename Types, typename ComplexFunction = void>
class TranscendentalOp : public UnaryKernel {
 public:
  explicit TranscendentalOp(opsrun::OpKernelConstruction* context)
      : UnaryKernel(context,
                    LoopFor<TranscendentalLoopsFor<kFunction, ComplexFunction>>(context->input_type(0), Types()),
                    4000) {}
};

typedef Join<Floats, Complexes> FloatsAndComplexes;
#define MATH_OPS_FLOATS_AND_COMPLEXES MATH_OPS_FLOATS ", " MATH_OPS_COMPLEXES

}  // namespace math_ops

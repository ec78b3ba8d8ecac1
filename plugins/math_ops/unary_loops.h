// plugins/math_ops/unary_loops.h: transcendental functions of arrays, for one or more instruction sets.
//
// unary_loops_impl.h implements them in a namespace that its includer chooses, so that it can be compiled several
// times, with different flags. Callers use Loops().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

namespace math_ops {

// out[i] = f(in[i]) for i in [0, n). `out` may be `in`; otherwise they must not overlap. Any n, any alignment.
template <typename T>
using UnaryRun = void (*)(const T* in, T* out, int64_t n);
// out[i] = f(x[i], y[i]). `out` may be x or y.
template <typename T>
using BinaryRun = void (*)(const T* x, const T* y, T* out, int64_t n);

// One function, for both types.
template <template <typename> class Run>
struct ForFloats {
  Run<float> f32;
  Run<double> f64;

  template <typename T>
  Run<T> For() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return f32;
    } else {
      return f64;
    }
  }
};
typedef ForFloats<UnaryRun> UnaryFunction;
typedef ForFloats<BinaryRun> BinaryFunction;

struct TranscendentalLoops {
  UnaryFunction exp, expm1, log, log1p, sqrt, rsqrt, sin, cos, tan, tanh, sigmoid, softplus, erf;
  BinaryFunction pow, atan2;
};

// The loops for this processor.
const TranscendentalLoops& Loops();

}  // namespace math_ops

// plugins/math_ops/transcendental.cu.cc: Exp, Log, Sin and other functions whose values are approximated, on a GPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <cmath>

#include "gpu_unary.cu.h"

namespace math_ops {
namespace {

#define FUNCTION(Name, expression)      \
  struct Name {                         \
    template <typename T>               \
    constexpr T operator()(T x) const { \
      return expression;                \
    }                                   \
  };                                    \
  REGISTER_GPU_UNARY(#Name, Name, Floats, MATH_OPS_GPU_FLOATS)
FUNCTION(Exp, std::exp(x))
FUNCTION(Expm1, std::expm1(x))
FUNCTION(Log, std::log(x))
FUNCTION(Log1p, std::log1p(x))
FUNCTION(Sqrt, std::sqrt(x))
FUNCTION(Rsqrt, T(1) / std::sqrt(x))
FUNCTION(Sin, std::sin(x))
FUNCTION(Cos, std::cos(x))
FUNCTION(Tan, std::tan(x))
FUNCTION(Tanh, std::tanh(x))
FUNCTION(Sigmoid, T(1) / (T(1) + std::exp(-x)))
FUNCTION(Erf, std::erf(x))
FUNCTION(Softplus, x > T(0) ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)))
#undef FUNCTION

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA

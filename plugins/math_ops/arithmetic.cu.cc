// plugins/math_ops/arithmetic.cu.cc: functions of two numbers on a GPU. Integers are divided on the CPU, which reports
// divisors of 0.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "division.h"
#include "extremes.h"
#include "gpu_binary.cu.h"

namespace math_ops {
namespace {

REGISTER_GPU_BINARY("Add", Add, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_BINARY("AddV2", Add, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_BINARY("Sub", Sub, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_BINARY("Mul", Mul, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_BINARY("Maximum", Larger, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_BINARY("Minimum", Smaller, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)

typedef Join<Floats, TypeList<int32_t, int64_t>> SquaredTypes;
REGISTER_GPU_BINARY("SquaredDifference", SquaredDifference, SquaredTypes, MATH_OPS_GPU_FLOATS, opsrun::DT_INT32,
                    opsrun::DT_INT64)

struct Power {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    return std::pow(x, y);
  }
};
REGISTER_GPU_BINARY("Div", Div, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_BINARY("RealDiv", Div, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_BINARY("DivNoNan", DivNoNan, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_BINARY("FloorDiv", FloorDiv, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_BINARY("FloorMod", FloorMod, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_BINARY("Mod", Mod, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_BINARY("Pow", Power, Floats, MATH_OPS_GPU_FLOATS)

struct ArcTangent {
  template <typename T>
  constexpr T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
};
REGISTER_GPU_BINARY("Atan2", ArcTangent, Floats, MATH_OPS_GPU_FLOATS)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA

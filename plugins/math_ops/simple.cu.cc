// plugins/math_ops/simple.cu.cc: functions of one number that need no approximation, and ReluGrad, on a GPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "gpu_binary.cu.h"
#include "gpu_unary.cu.h"
#include "relu.h"
#include "simple_functions.h"
#include "unary_functions.h"

namespace math_ops {
namespace {

typedef Join<Floats, SignedInts> SignedNumbers;
REGISTER_GPU_UNARY("Neg", Neg, SignedNumbers, MATH_OPS_GPU_FLOATS, MATH_OPS_GPU_SIGNED_INTS)
REGISTER_GPU_UNARY("Abs", Abs, SignedNumbers, MATH_OPS_GPU_FLOATS, MATH_OPS_GPU_SIGNED_INTS)
REGISTER_GPU_UNARY("Sign", Sign, SignedNumbers, MATH_OPS_GPU_FLOATS, MATH_OPS_GPU_SIGNED_INTS)
REGISTER_GPU_UNARY("Square", Square, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_UNARY("Reciprocal", Reciprocal, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_UNARY("Relu", Relu, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_KERNEL_BUILDER(
    Name("ReluGrad").Device(opsrun::DEVICE_GPU).TypeConstraint("T", {MATH_OPS_GPU_REAL_NUMBERS}).Capturable(),
    OfGradients<GpuBinaryOp<ReluGrad, RealNumbers>>)
REGISTER_GPU_UNARY("Floor", Floor, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_UNARY("Ceil", Ceil, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_UNARY("Round", Round, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_UNARY("IsNan", IsNan, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_UNARY("IsInf", IsInf, Floats, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_UNARY("IsFinite", IsFinite, Floats, MATH_OPS_GPU_FLOATS)

struct Not {
  constexpr bool operator()(bool x) const { return !x; }
};
REGISTER_KERNEL_BUILDER(Name("LogicalNot").Device(opsrun::DEVICE_GPU).Capturable(), GpuUnaryOp<Not, TypeList<bool>>)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA

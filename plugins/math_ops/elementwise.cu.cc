// plugins/math_ops/elementwise.cu.cc: functions of one number that need no approximation, and ReluGrad, on a GPU.
// SPDX-License-Identifier: Apache-2.0

#if GOOGLE_CUDA

#include "clip.h"
#include "extremes.h"
#include "gpu_elementwise.cu.h"
#include "relu.h"
#include "select.h"
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

// Exp, Log, Sin and other functions that are approximated.

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

// Functions of two numbers. Integer division runs on the CPU, which reports divisors of 0.

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

// Comparisons, ops on two bools, and Select.

using namespace opsrun;

REGISTER_GPU_BINARY("Less", Less, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_BINARY("LessEqual", LessEqual, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)

typedef GpuBinaryOp<Less, RealNumbers, /*kSwap=*/true> GreaterOp;
typedef GpuBinaryOp<LessEqual, RealNumbers, /*kSwap=*/true> GreaterEqualOp;
#define REGISTER_GREATER(name, Kernel)                                                                                 \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_GPU).TypeConstraint("T", {MATH_OPS_GPU_REAL_NUMBERS}).Capturable(), \
                          Kernel)
REGISTER_GREATER("Greater", GreaterOp)
REGISTER_GREATER("GreaterEqual", GreaterEqualOp)

typedef Join<RealNumbers, TypeList<bool>> EqualTypes;

// As on the CPU, the result for incompatible shapes may be a scalar.
template <typename Function>
class EqualOp : public GpuBinaryOp<Function, EqualTypes> {
 public:
  explicit EqualOp(OpKernelConstruction* context) : GpuBinaryOp<Function, EqualTypes>(context) {
    OP_REQUIRES_OK(context, context->GetAttr("incompatible_shape_error", &is_error_));
  }

  void Compute(OpKernelContext* context) override {
    if (is_error_ || Broadcast::Fits(context->input(0).shape(), context->input(1).shape())) {
      return GpuBinaryOp<Function, EqualTypes>::Compute(context);
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    OP_REQUIRES_OK(context, GpuLaunchKernel(SetToValue<bool>, 1, 1, 0, GetGpuStream(context), 1,
                                            static_cast<bool*>(output->data()), Function()(0, 1)));
  }

 private:
  bool is_error_ = true;
};

#define REGISTER_EQUAL(Name_, Function)                                                                      \
  REGISTER_KERNEL_BUILDER(                                                                                   \
      Name(Name_).Device(DEVICE_GPU).TypeConstraint("T", {MATH_OPS_GPU_REAL_NUMBERS, DT_BOOL}).Capturable(), \
      EqualOp<Function>)
REGISTER_EQUAL("Equal", Equal)
REGISTER_EQUAL("NotEqual", NotEqual)

// For bools, which are bytes of 0 or 1.
template <typename Function>
struct OfBools {
  constexpr bool operator()(bool x, bool y) const { return Function()(uint8_t{x}, uint8_t{y}) != 0; }
};
typedef GpuBinaryOp<OfBools<And>, TypeList<bool>> AndOp;
typedef GpuBinaryOp<OfBools<Or>, TypeList<bool>> OrOp;
REGISTER_KERNEL_BUILDER(Name("LogicalAnd").Device(DEVICE_GPU).Capturable(), AndOp)
REGISTER_KERNEL_BUILDER(Name("LogicalOr").Device(DEVICE_GPU).Capturable(), OrOp)

template <typename T>
__global__ void __launch_bounds__(kGpuThreads)
    SelectElements(int64 n, GpuPlaces<3> places, const bool* condition, const T* t, const T* e, T* out) {
  for (int64 i : GpuGridRangeX(n)) {
    int64 at[3];
    places.Find(i, at);
    out[i] = condition[at[0]] ? t[at[1]] : e[at[2]];
  }
}

template <typename T>
Status ChooseElements(OpKernelContext* context, const Broadcast& broadcast, Tensor* output) {
  const int64 n = output->NumElements();
  if (n == 0) return Status();
  return GpuLaunchKernel(SelectElements<T>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n,
                         PlacesOf<3>(broadcast), static_cast<const bool*>(context->input(0).data()),
                         static_cast<const T*>(context->input(1).data()),
                         static_cast<const T*>(context->input(2).data()), static_cast<T*>(output->data()));
}

Status ChooseOnGpu(OpKernelContext* context, const Broadcast& broadcast, Tensor* output) {
  return VisitGpuElement(DataTypeSize(output->dtype()),
                         [&](auto element) { return ChooseElements<decltype(element)>(context, broadcast, output); });
}

typedef SelectOp<SelectConditionShape, ChooseOnGpu> OldSelectOp;
typedef SelectOp<SelectV2ConditionShape, ChooseOnGpu> SelectV2Op;
REGISTER_KERNEL_BUILDER(Name("Select").Device(DEVICE_GPU).Capturable(), OldSelectOp)
REGISTER_KERNEL_BUILDER(Name("SelectV2").Device(DEVICE_GPU).Capturable(), SelectV2Op)

// ClipByValue.

template <typename T>
__global__ void __launch_bounds__(kGpuThreads) ClipElements(ClipRun run) {
  const T *const x = static_cast<const T*>(run.x), *const lower = static_cast<const T*>(run.lower);
  const T* const upper = static_cast<const T*>(run.upper);
  for (int64 i : GpuGridRangeX(run.n)) {
    static_cast<T*>(run.out)[i] =
        static_cast<T>(Clip()(static_cast<Wide<T>>(x[i]), static_cast<Wide<T>>(lower[run.lower_walks ? i : 0]),
                              static_cast<Wide<T>>(upper[run.upper_walks ? i : 0])));
  }
}

struct GpuClips {
  template <typename T>
  static Status Launch(gpuStream_t stream, const ClipRun& run) {
    return GpuLaunchKernel(ClipElements<T>, GpuBlocks(run.n), kGpuThreads, 0, stream, run);
  }
  template <typename T>
  static auto For() {
    return &Launch<T>;
  }
};

class ClipOp : public ClipKernel {
 public:
  explicit ClipOp(OpKernelConstruction* context)
      : ClipKernel(context), launch_(LoopFor<GpuClips>(context->input_type(0), RealNumbers())) {}

 protected:
  Status Run(OpKernelContext* context, const ClipRun& run) const override {
    return launch_(GetGpuStream(context), run);
  }

 private:
  Status (*const launch_)(gpuStream_t stream, const ClipRun& run);
};
REGISTER_KERNEL_BUILDER(
    Name("ClipByValue").Device(DEVICE_GPU).TypeConstraint("T", {MATH_OPS_GPU_REAL_NUMBERS}).Capturable(), ClipOp)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA

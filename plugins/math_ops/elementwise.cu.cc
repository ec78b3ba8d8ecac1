// plugins/math_ops/elementwise.cu.cc: functions of one number that need no approximation, and ReluGrad, on a GPU.
// SPDX-License-Identifier: Apache-2.0

#if GOOGLE_CUDA

#include "any_device.h"
#include "folds.h"
#include "gpu_complex_functions.cu.h"
#include "gpu_elementwise.cu.h"
#include "simple_functions.h"

namespace math_ops {
namespace {

REGISTER_GPU_UNARY("Neg", Neg, SignedNumbers)
REGISTER_GPU_UNARY("Abs", Abs, SignedRealNumbers)
REGISTER_GPU_UNARY("Sign", Sign, SignedNumbers)
REGISTER_GPU_UNARY("Square", Square, Numbers)
REGISTER_GPU_UNARY("Reciprocal", Reciprocal, FloatsAndComplexes)
REGISTER_GPU_UNARY("Relu", Relu, RealNumbers)
REGISTER_KERNEL_BUILDER(ON_GPU("ReluGrad", RealNumbers).Capturable(), OfGradients<GpuBinaryOp<ReluGrad, RealNumbers>>)
REGISTER_GPU_UNARY("Floor", Floor, Floats)
REGISTER_GPU_UNARY("Ceil", Ceil, Floats)
REGISTER_GPU_UNARY("Round", Round, Floats)
REGISTER_GPU_UNARY("IsNan", IsNan, FloatsAndComplexes)
REGISTER_GPU_UNARY("IsInf", IsInf, FloatsAndComplexes)
REGISTER_GPU_UNARY("IsFinite", IsFinite, FloatsAndComplexes)

struct Not {
  constexpr bool operator()(bool x) const { return !x; }
};
REGISTER_KERNEL_BUILDER(Name("LogicalNot").Device(DEVICE_GPU).Capturable(), GpuUnaryOp<Not, TypeList<bool>>)

// Complex numbers.

REGISTER_KERNEL_BUILDER(ON_GPU("Conj", RealNumbers).Capturable(), ConjOfReals)
REGISTER_GPU_UNARY("Conj", Conj, Complexes)
REGISTER_KERNEL_BUILDER(ON_GPU("Real", Complexes).Capturable(), PartOp<GpuUnaryOp<Real, Complexes>>)
REGISTER_KERNEL_BUILDER(ON_GPU("Imag", Complexes).Capturable(), PartOp<GpuUnaryOp<Imag, Complexes>>)
REGISTER_KERNEL_BUILDER(ON_GPU("ComplexAbs", Complexes).Capturable(), PartOp<GpuUnaryOp<ComplexAbs, Complexes>>)
REGISTER_KERNEL_BUILDER(ON_GPU("Complex", ComplexParts).Capturable(),
                        ComplexOp<GpuBinaryOp<MakeComplex<GpuComplex>, ComplexParts>>)

// Exp, Log, Sin and other functions that are approximated.

// of_complex: the function of complex128, or void.
#define FUNCTION(Name, Types, expression, of_complex)  \
  struct Name {                                        \
    template <typename T>                              \
    constexpr T operator()(T x) const {                \
      if constexpr (kIsComplex<T>) {                   \
        return static_cast<T>(of_complex(Widened(x))); \
      } else {                                         \
        return expression;                             \
      }                                                \
    }                                                  \
  };                                                   \
  REGISTER_GPU_UNARY(#Name, Name, Types)
FUNCTION(Exp, FloatsAndComplexes, std::exp(x), ExpOf)
FUNCTION(Expm1, FloatsAndComplexes, std::expm1(x), Expm1Of)
FUNCTION(Log, FloatsAndComplexes, std::log(x), LogOf)
FUNCTION(Log1p, FloatsAndComplexes, std::log1p(x), Log1pOf)
FUNCTION(Sqrt, FloatsAndComplexes, std::sqrt(x), SqrtOf)
FUNCTION(Rsqrt, FloatsAndComplexes, T(1) / std::sqrt(x), RsqrtOf)
FUNCTION(Sin, FloatsAndComplexes, std::sin(x), SinOf)
FUNCTION(Cos, FloatsAndComplexes, std::cos(x), CosOf)
FUNCTION(Tan, FloatsAndComplexes, std::tan(x), TanOf)
FUNCTION(Tanh, FloatsAndComplexes, std::tanh(x), TanhOf)
FUNCTION(Sigmoid, FloatsAndComplexes, T(1) / (T(1) + std::exp(-x)), SigmoidOf)
FUNCTION(Erf, Floats, std::erf(x), void)
FUNCTION(Softplus, Floats, x > T(0) ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)), void)
#undef FUNCTION

// Functions of two numbers. Integer division runs on the CPU, which reports divisors of 0.

REGISTER_GPU_BINARY("Add", Add, Numbers)
REGISTER_GPU_BINARY("AddV2", Add, Numbers)
REGISTER_GPU_BINARY("Sub", Sub, Numbers)
REGISTER_GPU_BINARY("Mul", Mul, Numbers)
REGISTER_GPU_BINARY("Maximum", Larger, RealNumbers)
REGISTER_GPU_BINARY("Minimum", Smaller, RealNumbers)

typedef Join<FloatsAndComplexes, TypeList<int32_t, int64_t>> SquaredTypes;
REGISTER_GPU_BINARY("SquaredDifference", SquaredDifference, SquaredTypes)

struct Power {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    if constexpr (kIsComplex<T>) {
      return y == T(2) ? Mul()(x, x) : static_cast<T>(PowOf(Widened(x), Widened(y)));
    } else {
      return std::pow(x, y);
    }
  }
};
REGISTER_GPU_BINARY("Div", Div, FloatsAndComplexes)
REGISTER_GPU_BINARY("RealDiv", Div, FloatsAndComplexes)
REGISTER_GPU_BINARY("DivNoNan", DivNoNan, FloatsAndComplexes)
REGISTER_GPU_BINARY("FloorDiv", FloorDiv, Floats)
REGISTER_GPU_BINARY("FloorMod", FloorMod, Floats)
REGISTER_GPU_BINARY("Mod", Mod, Floats)
REGISTER_GPU_BINARY("Pow", Power, FloatsAndComplexes)

struct ArcTangent {
  template <typename T>
  constexpr T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
};
REGISTER_GPU_BINARY("Atan2", ArcTangent, Floats)

// Comparisons, ops on two bools, and Select.

REGISTER_GPU_BINARY("Less", Less, RealNumbers)
REGISTER_GPU_BINARY("LessEqual", LessEqual, RealNumbers)

#define REGISTER_GREATER(name, Function) \
  REGISTER_KERNEL_BUILDER(ON_GPU(name, RealNumbers).Capturable(), GpuBinaryOp<Function, RealNumbers, /*kSwap=*/true>)
REGISTER_GREATER("Greater", Less)
REGISTER_GREATER("GreaterEqual", LessEqual)

typedef Join<Numbers, TypeList<bool>> EqualTypes;

Status WriteBoolOnGpu(OpKernelContext* context, bool value, Tensor* output) {
  return GpuLaunchKernel(SetToValue<bool>, 1, 1, 0, GetGpuStream(context), 1, static_cast<bool*>(output->data()),
                         value);
}

#define REGISTER_EQUAL(name, Function, differs)                  \
  REGISTER_KERNEL_BUILDER(ON_GPU(name, EqualTypes).Capturable(), \
                          EqualOp<GpuBinaryOp<Function, EqualTypes>, differs, WriteBoolOnGpu>)
REGISTER_EQUAL("Equal", Equal, false)
REGISTER_EQUAL("NotEqual", NotEqual, true)

// For bools, which are bytes of 0 or 1.
template <typename Function>
struct OfBools {
  constexpr bool operator()(bool x, bool y) const { return Function()(uint8_t{x}, uint8_t{y}) != 0; }
};
#define REGISTER_LOGICAL(name, Function) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_GPU).Capturable(), GpuBinaryOp<OfBools<Function>, TypeList<bool>>)
REGISTER_LOGICAL("LogicalAnd", And)
REGISTER_LOGICAL("LogicalOr", Or)

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

#define REGISTER_SELECT(name, shape) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_GPU).Capturable(), SelectOp<shape, ChooseOnGpu>)
REGISTER_SELECT("Select", SelectConditionShape)
REGISTER_SELECT("SelectV2", SelectV2ConditionShape)

struct GpuClips {
  template <typename OnCpu>
  static Status Run(OpKernelContext* context, const ClipRun& run) {
    typedef GpuType<OnCpu> T;
    return LaunchMap<Clip>(GetGpuStream(context), run.n, run.out, GpuWalk<T>{static_cast<const T*>(run.x)},
                           GpuOperand<T>{static_cast<const T*>(run.lower), run.lower_walks},
                           GpuOperand<T>{static_cast<const T*>(run.upper), run.upper_walks});
  }
};
REGISTER_KERNEL_BUILDER(ON_GPU("ClipByValue", Numbers).Capturable(), ClipOp<GpuClips, Numbers>)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA

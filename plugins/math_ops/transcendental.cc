// plugins/math_ops/transcendental.cc: Exp, Log, Sin and other functions that are approximated.
// SPDX-License-Identifier: Apache-2.0
#include "complex_ops.h"
#include "elementwise.h"

// For processors that are older than all instruction sets.
#define MATH_OPS_ISA baseline
#include "unary_loops_impl.h"

namespace math_ops {

const TranscendentalLoops& Loops() {
  static const TranscendentalLoops* const loops =
      BestKernels() == nullptr ? &baseline::kLoops : BestKernels()->transcendental;
  return *loops;
}

template <UnaryFunction TranscendentalLoops::*kFunction, typename ComplexFunction>
struct TranscendentalLoopsFor {
  template <typename T>
  static void Run(const void* in, void* out, int64 n) {
    if constexpr (kIsComplex<T>) {
      UnaryLoops<ComplexFunction>::template Run<T>(in, out, n);
    } else if constexpr (kIsConverted<T>) {
      RunConverted<T, T>((Loops().*kFunction).f32, in, out, n);
    } else {
      (Loops().*kFunction).template For<T>()(static_cast<const T*>(in), static_cast<T*>(out), n);
    }
  }
};

template <UnaryFunction TranscendentalLoops::*kFunction, typename Types, typename ComplexFunction = void>
class TranscendentalOp : public UnaryKernel {
 public:
  explicit TranscendentalOp(OpKernelConstruction* context)
      : UnaryKernel(context,
                    LoopFor<TranscendentalLoopsFor<kFunction, ComplexFunction>>(context->input_type(0), Types()),
                    4000) {}
};

namespace {

// The same functions of complex numbers.
#define COMPLEX_FUNCTION(Name, ...) \
  struct Complex##Name {            \
    template <typename T>           \
    T operator()(T x) const {       \
      return __VA_ARGS__;           \
    }                               \
  };
COMPLEX_FUNCTION(Exp, std::exp(x))
COMPLEX_FUNCTION(Log, std::log(x))
COMPLEX_FUNCTION(Sqrt, std::sqrt(x))
COMPLEX_FUNCTION(Rsqrt, T(1) / std::sqrt(x))
COMPLEX_FUNCTION(Sin, std::sin(x))
COMPLEX_FUNCTION(Cos, std::cos(x))
COMPLEX_FUNCTION(Tan, std::tan(x))
COMPLEX_FUNCTION(Tanh, std::tanh(x))
#undef COMPLEX_FUNCTION

#define DOC(sentence, output) \
  sentence "\n\nfloat16 and bfloat16 are computed as float32 and rounded once.\n\nx: Numbers.\ny: " output "\n"

#define REGISTER_TRANSCENDENTAL(Name_, member, gradient, sentence, output)                                \
  REGISTER_UNARY_OP(#Name_, MATH_OPS_FLOATS_AND_COMPLEXES).Gradient(gradient).Doc(DOC(sentence, output)); \
  REGISTER_KERNEL_BUILDER(Name(#Name_).Device(DEVICE_CPU).Elementwise().Tiled(),                          \
                          TranscendentalOp<&TranscendentalLoops::member, FloatsAndComplexes, Complex##Name_>)

REGISTER_TRANSCENDENTAL(Exp, exp, TIMES_SLOPE("nodes:\n", "y"), "Computes e to the power of each element.",
                        "The powers.")
REGISTER_TRANSCENDENTAL(Expm1, expm1, SLOPE_WITH_ONE("  slope: {op: Add, in: [y, one]}\n"),
                        "Computes exp(x) - 1 for each element, accurately even where x is close to 0.",
                        "The powers minus 1.")
REGISTER_TRANSCENDENTAL(Log, log, SLOPE("  slope: {op: Reciprocal, in: x}\n"),
                        "Computes the natural logarithm of each element.",
                        "The logarithms: -inf of 0, and NaN of negative numbers.")
REGISTER_TRANSCENDENTAL(Log1p, log1p,
                        SLOPE_WITH_ONE("  sum: {op: Add, in: [x, one]}\n  slope: {op: Reciprocal, in: sum}\n"),
                        "Computes log(1 + x) for each element, accurately even where x is close to 0.",
                        "The logarithms: -inf of -1, and NaN of numbers below it.")
REGISTER_TRANSCENDENTAL(Sqrt, sqrt, SLOPE_OF_FINITE("0.5", "  slope: {op: RealDiv, in: [factor, finite]}\n"),
                        "Computes the square root of each element.",
                        "The roots. Those of negative numbers are NaN; those of complex ones have no negative real "
                        "part.")
REGISTER_TRANSCENDENTAL(Rsqrt, rsqrt,
                        SLOPE_OF_FINITE("-0.5",
                                        "  square: {op: Square, in: finite}\n"
                                        "  cube: {op: Mul, in: [square, finite]}\n"
                                        "  slope: {op: Mul, in: [factor, cube]}\n"),
                        "Computes 1 / sqrt(x) for each element.", "The reciprocals of the roots: inf of 0.")
REGISTER_TRANSCENDENTAL(Sin, sin, SLOPE("  slope: {op: Cos, in: x}\n"),
                        "Computes the sine of each element, an angle in radians.", "The sines: NaN of infinity.")
REGISTER_TRANSCENDENTAL(Cos, cos, SLOPE("  sine: {op: Sin, in: x}\n  slope: {op: Neg, in: sine}\n"),
                        "Computes the cosine of each element, an angle in radians.", "The cosines: NaN of infinity.")
REGISTER_TRANSCENDENTAL(Tan, tan,
                        SLOPE_WITH_ONE("  square: {op: Square, in: y}\n  slope: {op: Add, in: [one, square]}\n"),
                        "Computes the tangent of each element, an angle in radians.", "The tangents: NaN of infinity.")
REGISTER_TRANSCENDENTAL(Tanh, tanh,
                        SLOPE_WITH_ONE("  square: {op: Square, in: y}\n  slope: {op: Sub, in: [one, square]}\n"),
                        "Computes the hyperbolic tangent of each element.", "The tangents, between -1 and 1.")
REGISTER_TRANSCENDENTAL(Sigmoid, sigmoid,
                        SLOPE_WITH_ONE("  rest: {op: Sub, in: [one, y]}\n  slope: {op: Mul, in: [y, rest]}\n"),
                        "Computes 1 / (1 + exp(-x)) for each element.", "The results, between 0 and 1.")

REGISTER_UNARY_OP("Erf", MATH_OPS_FLOATS)
    .Gradient("feeds:\n  factor: {value: 1.1283791670955126, dtype: {attr: T}}\n" SLOPE(
        "  square: {op: Square, in: x}\n"
        "  exponent: {op: Neg, in: square}\n"
        "  bell: {op: Exp, in: exponent}\n"
        "  slope: {op: Mul, in: [factor, bell]}\n"))
    .Doc(DOC("Computes the error function of each element: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.",
             "The results, between -1 and 1."));
REGISTER_KERNEL_BUILDER(Name("Erf").Device(DEVICE_CPU).Elementwise().Tiled(),
                        TranscendentalOp<&TranscendentalLoops::erf, Floats>)

REGISTER_OP("Softplus")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {" MATH_OPS_FLOATS "}")
    .Broadcasts("()->()")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient(R"yaml(
nodes:
  slope: {op: Sigmoid, in: features}
  dfeatures: {op: Mul, in: [grad.activations, slope]}
outputs: {features: dfeatures}
)yaml")
    .Doc(R"doc(
Computes log(1 + exp(x)) for each element x, without overflow.

float16 and bfloat16 are computed as float32 and rounded once.

features: Numbers.
activations: The results, which are positive.
)doc");
REGISTER_KERNEL_BUILDER(Name("Softplus").Device(DEVICE_CPU), TranscendentalOp<&TranscendentalLoops::softplus, Floats>)

}  // namespace
}  // namespace math_ops

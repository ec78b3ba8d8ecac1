// plugins/math_ops/transcendental.cc: Exp, Log, Sin and other functions that are approximated.
// SPDX-License-Identifier: Apache-2.0
#include "complex_ops.h"
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

#define REGISTER_KERNEL(name, member)                             \
  REGISTER_KERNEL_BUILDER(Name(#name).Device(opsrun::DEVICE_CPU), \
                          TranscendentalOp<&TranscendentalLoops::member, FloatsAndComplexes, Complex##name>)

REGISTER_UNARY_OP("Exp", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(R"yaml(
nodes:
)yaml" TIMES_SLOPE("y"))
    .Doc(DOC("Computes e to the power of each element.", "The powers."));
REGISTER_KERNEL(Exp, exp)

REGISTER_UNARY_OP("Expm1", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(R"yaml(
feeds:
  one: {value: 1, dtype: {attr: T}}
nodes:
  slope: {op: Add, in: [y, one]}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes exp(x) - 1 for each element, exactly also where x is close to 0.", "The powers minus 1."));
REGISTER_KERNEL(Expm1, expm1)

REGISTER_UNARY_OP("Log", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(R"yaml(
nodes:
  slope: {op: Reciprocal, in: x}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes the natural logarithm of each element.",
             "The logarithms: -inf of 0, and NaN of negative numbers."));
REGISTER_KERNEL(Log, log)

REGISTER_UNARY_OP("Log1p", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(R"yaml(
feeds:
  one: {value: 1, dtype: {attr: T}}
nodes:
  sum: {op: Add, in: [x, one]}
  slope: {op: Reciprocal, in: sum}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes log(1 + x) for each element, exactly also where x is close to 0.",
             "The logarithms: -inf of -1, and NaN of numbers below it."));
REGISTER_KERNEL(Log1p, log1p)

REGISTER_UNARY_OP("Sqrt", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(Y_WHERE_A_GRADIENT_COMES_IN("0.5") R"yaml(
  slope: {op: RealDiv, in: [factor, finite]}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes the square root of each element.",
             "The roots. Those of negative numbers are NaN; those of complex ones have no negative real part."));
REGISTER_KERNEL(Sqrt, sqrt)

REGISTER_UNARY_OP("Rsqrt", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(Y_WHERE_A_GRADIENT_COMES_IN("-0.5") R"yaml(
  square: {op: Square, in: finite}
  cube: {op: Mul, in: [square, finite]}
  slope: {op: Mul, in: [factor, cube]}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes 1 / sqrt(x) for each element.", "The reciprocals of the roots: inf of 0."));
REGISTER_KERNEL(Rsqrt, rsqrt)

REGISTER_UNARY_OP("Sin", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(R"yaml(
nodes:
  slope: {op: Cos, in: x}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes the sine of each element, an angle in radians.", "The sines: NaN of infinity."));
REGISTER_KERNEL(Sin, sin)

REGISTER_UNARY_OP("Cos", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(R"yaml(
nodes:
  sine: {op: Sin, in: x}
  slope: {op: Neg, in: sine}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes the cosine of each element, an angle in radians.", "The cosines: NaN of infinity."));
REGISTER_KERNEL(Cos, cos)

REGISTER_UNARY_OP("Tan", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(R"yaml(
feeds:
  one: {value: 1, dtype: {attr: T}}
nodes:
  square: {op: Square, in: y}
  slope: {op: Add, in: [one, square]}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes the tangent of each element, an angle in radians.", "The tangents: NaN of infinity."));
REGISTER_KERNEL(Tan, tan)

REGISTER_UNARY_OP("Tanh", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(R"yaml(
feeds:
  one: {value: 1, dtype: {attr: T}}
nodes:
  square: {op: Square, in: y}
  slope: {op: Sub, in: [one, square]}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes the hyperbolic tangent of each element.", "The tangents, between -1 and 1."));
REGISTER_KERNEL(Tanh, tanh)

REGISTER_UNARY_OP("Sigmoid", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(R"yaml(
feeds:
  one: {value: 1, dtype: {attr: T}}
nodes:
  rest: {op: Sub, in: [one, y]}
  slope: {op: Mul, in: [y, rest]}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes 1 / (1 + exp(-x)) for each element.", "The results, between 0 and 1."));
REGISTER_KERNEL(Sigmoid, sigmoid)

REGISTER_UNARY_OP("Erf", MATH_OPS_FLOATS)
    .Gradient(R"yaml(
feeds:
  factor: {value: 1.1283791670955126, dtype: {attr: T}}
nodes:
  square: {op: Square, in: x}
  exponent: {op: Neg, in: square}
  bell: {op: Exp, in: exponent}
  slope: {op: Mul, in: [factor, bell]}
)yaml" TIMES_SLOPE("slope"))
    .Doc(DOC("Computes the error function of each element: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.",
             "The results, between -1 and 1."));
REGISTER_KERNEL_BUILDER(Name("Erf").Device(opsrun::DEVICE_CPU), TranscendentalOp<&TranscendentalLoops::erf, Floats>)

REGISTER_OP("Softplus")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {" MATH_OPS_FLOATS "}")
    .SetShapeFn(opsrun::shape_inference::UnchangedShape)
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
REGISTER_KERNEL_BUILDER(Name("Softplus").Device(opsrun::DEVICE_CPU),
                        TranscendentalOp<&TranscendentalLoops::softplus, Floats>)

}  // namespace

}  // namespace math_ops

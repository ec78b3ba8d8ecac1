// plugins/math_ops/complex_ops.cc: Conj, Real, Imag, Complex and ComplexAbs.
// SPDX-License-Identifier: Apache-2.0
#include "complex_ops.h"

#include "any_device.h"
#include "elementwise.h"

namespace math_ops {

Status CheckParts(OpKernelConstruction* context, const char* parts, const char* whole) {
  DataType part = DT_INVALID, complex = DT_INVALID;
  TF_RETURN_IF_ERROR(context->GetAttr(parts, &part));
  TF_RETURN_IF_ERROR(context->GetAttr(whole, &complex));
  if ((part == DT_FLOAT) == (complex == DT_COMPLEX64)) return Status::OK();
  return errors::InvalidArgument(DataTypeName(complex), " consists of ",
                                 complex == DT_COMPLEX64 ? "float32" : "float64", ", not of ", DataTypeName(part))
      .Blame("attr:Tout");
}

namespace {

REGISTER_OP("Conj")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {" MATH_OPS_NUMBERS "} = DT_COMPLEX64")
    .Broadcasts("()->()")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient("nodes: {dinput: {op: Conj, in: grad.output}}\noutputs: {input: dinput}\n")
    .Doc(R"doc(
Computes the complex conjugate of each element: the imaginary part changes its sign.

input: Numbers.
output: Their conjugates. Real numbers stay as they are.
)doc");

#define REGISTER_PART_OP(name, in, out)                   \
  REGISTER_OP(name)                                       \
      .Input(in ": T")                                    \
      .Output(out ": Tout")                               \
      .Attr("T: {" MATH_OPS_COMPLEXES "} = DT_COMPLEX64") \
      .Attr("Tout: {float, double} = DT_FLOAT")           \
      .Broadcasts("()->()")                               \
      .SetShapeFn(shape_inference::UnchangedShape)
#define TOUT "Tout: float32 for complex64, float64 for complex128.\n"

#define PART_GRADIENT(parts)                  \
  "feeds:\n"                                  \
  "  zero: {value: 0, dtype: {attr: Tout}}\n" \
  "nodes:\n"                                  \
  "  dinput: {op: Complex, in: [" parts       \
  "], attrs: {Tout: {attr: T}}}\n"            \
  "outputs: {input: dinput}\n"

REGISTER_PART_OP("Real", "input", "output")
    .Gradient(PART_GRADIENT("grad.output, zero"))
    .Doc("Gives the real part of each element.\n\ninput: Complex numbers.\noutput: Their real parts.\n" TOUT);
REGISTER_PART_OP("Imag", "input", "output")
    .Gradient(PART_GRADIENT("zero, grad.output"))
    .Doc("Gives the imaginary part of each element.\n\ninput: Complex numbers.\noutput: Their imaginary parts.\n" TOUT);

// The gradient points away from 0; at 0, it is 0.
REGISTER_PART_OP("ComplexAbs", "x", "y")
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: Tout}}
  one: {value: 1, dtype: {attr: Tout}}
nodes:
  at_zero: {op: Equal, in: [y, zero]}
  length: {op: SelectV2, in: [at_zero, one, y]}
  factor: {op: RealDiv, in: [grad.y, length]}
  complex_factor: {op: Complex, in: [factor, zero], attrs: {Tout: {attr: T}}}
  dx: {op: Mul, in: [complex_factor, x]}
outputs: {x: dx}
)yaml")
    .Doc("Computes the absolute value of each element.\n\nx: Complex numbers.\ny: Their distances from 0.\n" TOUT);

REGISTER_OP("Complex")
    .Input("real: T")
    .Input("imag: T")
    .Output("out: Tout")
    .Attr("T: {float, double} = DT_FLOAT")
    .Attr("Tout: {" MATH_OPS_COMPLEXES "} = DT_COMPLEX64")
    .Broadcasts("(),()->()")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Gradient(R"yaml(
nodes:
  real_shape: {op: Shape, in: real}
  imag_shape: {op: Shape, in: imag}
  greal: {op: Real, in: grad.out, attrs: {Tout: {attr: T}}}
  gimag: {op: Imag, in: grad.out, attrs: {Tout: {attr: T}}}
  dreal: {op: SumToShape, in: [greal, real_shape]}
  dimag: {op: SumToShape, in: [gimag, imag_shape]}
outputs: {real: dreal, imag: dimag}
)yaml")
    .Doc(R"doc(
Makes complex numbers from their parts, with broadcasting.

real: The real parts, of any shape.
imag: The imaginary parts, of a shape that can be broadcast with that of the real ones.
out: The numbers.
Tout: complex64 for float32, complex128 for float64.
)doc");

REGISTER_KERNEL_BUILDER(Name("Conj").Device(DEVICE_CPU).TypeConstraint("T", TypesOf<RealNumbers>::kAll), ConjOfReals)
REGISTER_KERNEL_BUILDER(Name("Conj").Device(DEVICE_CPU).TypeConstraint("T", TypesOf<Complexes>::kAll),
                        UnaryOp<Conj, Complexes>)
REGISTER_KERNEL_BUILDER(Name("Real").Device(DEVICE_CPU), PartOp<UnaryOp<Real, Complexes>>)
REGISTER_KERNEL_BUILDER(Name("Imag").Device(DEVICE_CPU), PartOp<UnaryOp<Imag, Complexes>>)
REGISTER_KERNEL_BUILDER(Name("ComplexAbs").Device(DEVICE_CPU), PartOp<UnaryOp<ComplexAbs, Complexes>>)
REGISTER_KERNEL_BUILDER(Name("Complex").Device(DEVICE_CPU),
                        ComplexOp<BinaryOp<MakeComplex<std::complex>, ComplexParts>>)

}  // namespace
}  // namespace math_ops

// plugins/math_ops/scan.h: scans: each element of the output is made from those before it along an axis.
//
// What is done with an element: scan_steps.h. On the CPU, the elements of a line are taken one after the other, as
// NumPy takes them, so results depend neither on threads nor on how lines are divided.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"
#include "types.h"

namespace math_ops {

// A tensor as matrices, one after the other, with a row for each place on the axis.
struct ScanShape {
  int64 matrices = 1, rows = 1, width = 1;

  ScanShape(const opsrun::TensorShape& shape, int axis);
  int64 lines() const { return matrices * width; }
};

// The attrs exclusive, whether an element is made without the one at its own place, and reverse, whether a scan begins
// at the end of the axis.
struct ScanAttrs {
  bool exclusive = false, reverse = false;
};

// The last input is the axis, in CPU memory; the others have the shape of the output.
class ScanKernel : public opsrun::OpKernel {
 public:
  explicit ScanKernel(opsrun::OpKernelConstruction* context);
  void Compute(opsrun::OpKernelContext* context) override;

 protected:
  // Writes the output, which may be the memory of an input. Requires: there are elements.
  virtual opsrun::Status Scan(opsrun::OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs,
                              const void* const* inputs, void* output) const = 0;

 private:
  ScanAttrs attrs_;
};

// All inputs but the last have one shape, that of the output; the last is the axis, a scalar.
opsrun::Status ScanShapeFn(opsrun::shape_inference::InferenceContext* c);

}  // namespace math_ops

// REGISTER_SCAN("Cumsum", "half, float", .Input("x: T")).Gradient(..).Doc(..)
#define REGISTER_SCAN(name, types, inputs)     \
  REGISTER_OP(name)                            \
  inputs.Input("axis: Tidx")                   \
      .Attr("exclusive: bool = false")         \
      .Attr("reverse: bool = false")           \
      .Output("out: T")                        \
      .Attr("T: {" types "}")                  \
      .Attr("Tidx: {int32, int64} = DT_INT32") \
      .SetShapeFn(ScanShapeFn)

// The end of the doc of a scan.
#define SCAN_DOC(output)                                                                                    \
  "axis: The dimension to go along, a scalar. A negative one counts from the end.\nout: " output            \
  "\nexclusive: Leaves out the element at the place of the result, so that the first result comes from no " \
  "elements.\nreverse: Goes from the last element to the first.\n"

// The attr of a scan that goes the other way, in a gradient.
#define BACKWARD "reverse: {attr: reverse, true: false, false: true}"

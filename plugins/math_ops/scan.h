// plugins/math_ops/scan.h: scans: each element of the output depends on the elements before it along an axis.
//
// The CPU processes a line sequentially, like NumPy, so results depend neither on threads nor on how lines are divided.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arithmetic.h"
#include "opsrun/shape_inference.h"

namespace math_ops {

// A tensor as consecutive matrices, with a row for each position on the axis.
struct ScanShape {
  int64 matrices = 1, rows = 1, width = 1;

  ScanShape(const TensorShape& shape, int axis);
  int64 lines() const { return matrices * width; }
};

// exclusive: a result does not include the element at its own position. reverse: the scan begins at the end of the
// axis.
struct ScanAttrs {
  bool exclusive = false, reverse = false;
};

// Writes the output, which may share the memory of an input. Requires: there are elements.
typedef Status (*Scan)(OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs, const void* const* inputs,
                       void* output);

// The last input is the axis, in host memory; the others have the shape of the output.
class ScanKernel : public OpKernel {
 public:
  ScanKernel(OpKernelConstruction* context, Scan scan);
  void Compute(OpKernelContext* context) override;

 private:
  const Scan scan_;
  ScanAttrs attrs_;
};

// Scans: for LoopFor.
template <typename Scans, typename Types>
class ScanOp : public ScanKernel {
 public:
  explicit ScanOp(OpKernelConstruction* context)
      : ScanKernel(context, LoopFor<Scans>(context->input_type(0), Types())) {}
};

// All inputs but the last have the same shape, which is that of the output; the last is the axis, a scalar.
Status ScanShapeFn(shape_inference::InferenceContext* c);

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

// The end of a scan's doc.
#define SCAN_DOC(output)                                                                                    \
  "axis: The dimension to go along, a scalar. A negative one counts from the end.\nout: " output            \
  "\nexclusive: Leaves out the element at the place of the result, so that the first result comes from no " \
  "elements.\nreverse: Goes from the last element to the first.\n"

// The attr of a scan in the other direction, for a gradient.
#define BACKWARD "reverse: {attr: reverse, true: false, false: true}"

// The steps of scans: a scan runs along an axis, carries a state from element to element, and writes it.
//
// A step is a struct with, for elements of type T, whose states are Wide<T>,
//   kInputs                             the number of tensors it reads, all of the same shape
//   Start<T>()                          the state before the first element
//   Next<T>(state, inputs, i)           the state after the elements inputs[k][i]
//   kSplits<T>                          whether the state after a line is the sum, by Next, of the states of its parts;
//                                       false for products of floats, since a part could overflow

constexpr int kMostScanned = 2;

// Adds or multiplies: Function()(state, element), beginning with kStart.
template <typename Function, int kStart, bool kSplitsFloats>
struct FunctionStep {
  static constexpr bool kIgnoresSign = true;
  static constexpr int kInputs = 1;
  template <typename T>
  static constexpr bool kSplits = kSplitsFloats || std::is_integral_v<T>;
  template <typename T>
  static constexpr Wide<T> Start() {
    return Wide<T>(kStart);
  }
  template <typename T>
  static constexpr Wide<T> Next(Wide<T> state, const T* const* inputs, int64 i) {
    return Function()(state, static_cast<Wide<T>>(inputs[0][i]));
  }
};
typedef FunctionStep<Add, 0, true> SumStep;
typedef FunctionStep<Mul, 1, false> ProductStep;

// Of factors and terms: state = factor * state + term.
struct RecurrenceStep {
  static constexpr int kInputs = 2;
  template <typename T>
  static constexpr bool kSplits = false;
  template <typename T>
  static constexpr Wide<T> Start() {
    return Wide<T>(0);
  }
  template <typename T>
  static constexpr Wide<T> Next(Wide<T> state, const T* const* inputs, int64 i) {
    return Add()(Mul()(static_cast<Wide<T>>(inputs[0][i]), state), static_cast<Wide<T>>(inputs[1][i]));
  }
};

}  // namespace math_ops

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

  ScanShape(const opsrun::TensorShape& shape, int axis);
  int64 lines() const { return matrices * width; }
};

// exclusive: a result does not include the element at its own position. reverse: the scan begins at the end of the
// axis.
struct ScanAttrs {
  bool exclusive = false, reverse = false;
};

// The last input is the axis, in host memory; the others have the shape of the output.
class ScanKernel : public opsrun::OpKernel {
 public:
  explicit ScanKernel(opsrun::OpKernelConstruction* context);
  void Compute(opsrun::OpKernelContext* context) override;

 protected:
  // Writes the output, which may share the memory of an input. Requires: there are elements.
  virtual opsrun::Status Scan(opsrun::OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs,
                              const void* const* inputs, void* output) const = 0;

 private:
  ScanAttrs attrs_;
};

// All inputs but the last have the same shape, which is that of the output; the last is the axis, a scalar.
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

// The end of a scan's doc.
#define SCAN_DOC(output)                                                                                    \
  "axis: The dimension to go along, a scalar. A negative one counts from the end.\nout: " output            \
  "\nexclusive: Leaves out the element at the place of the result, so that the first result comes from no " \
  "elements.\nreverse: Goes from the last element to the first.\n"

// The attr of a scan in the other direction, for a gradient.
#define BACKWARD "reverse: {attr: reverse, true: false, false: true}"

namespace math_ops {

// The steps of scans: a scan runs along an axis, carries a state from element to element, and writes it.
//
// A step is a struct with, for elements of type T, whose states are Wide<T>,
//   kInputs                             the number of tensors it reads, all of the same shape
//   Start<T>()                          the state before the first element
//   Next<T>(state, inputs, i)           the state after the elements inputs[k][i]
//   kSplits<T>                          whether the state after a line is the sum, by Next, of the states of its parts;
//                                       false for products of floats, since a part could overflow

constexpr int kMostScanned = 2;

struct SumStep {
  static constexpr bool kIgnoresSign = true;
  static constexpr int kInputs = 1;
  template <typename T>
  static constexpr bool kSplits = true;
  template <typename T>
  static constexpr Wide<T> Start() {
    return Wide<T>(0);
  }
  template <typename T>
  static constexpr Wide<T> Next(Wide<T> state, const T* const* inputs, int64 i) {
    return Add()(state, static_cast<Wide<T>>(inputs[0][i]));
  }
};

struct ProductStep {
  static constexpr bool kIgnoresSign = true;
  static constexpr int kInputs = 1;
  template <typename T>
  static constexpr bool kSplits = std::is_integral_v<T>;
  template <typename T>
  static constexpr Wide<T> Start() {
    return Wide<T>(1);
  }
  template <typename T>
  static constexpr Wide<T> Next(Wide<T> state, const T* const* inputs, int64 i) {
    return Mul()(state, static_cast<Wide<T>>(inputs[0][i]));
  }
};

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

// The kernels of scans on the CPU.

// Some of the lines of a tensor: element k of line j is at first + j * line_step + k * step, for k in [0, rows).
struct ScanLines {
  int64 first, line_step, step, rows, count;
  bool exclusive;
};

// `out` may be an input. Requires: there are at most kScanChunk lines.
typedef void (*ScanLoop)(const ScanLines& lines, const void* const* inputs, void* out);
constexpr int64 kScanChunk = 512;
constexpr int64 kScannedTogether = 8;  // of lines whose elements are contiguous

template <typename Step>
struct ScanLoops {
  // Scans several lines at a time, because each step of a line waits for the previous one.
  template <typename T, int64 kCount>
  static void Together(const ScanLines& lines, int64 first, const T* const* inputs, T* out) {
    Wide<T> states[kCount];
    for (auto& state : states) state = Step::template Start<T>();
    for (int64 k = 0, row = first; k < lines.rows; ++k, row += lines.step) {
      for (int64 j = 0; j < kCount; ++j) {
        const int64 at = row + j * lines.line_step;
        const Wide<T> next = Step::template Next<T>(states[j], inputs, at);
        out[at] = static_cast<T>(lines.exclusive ? states[j] : next);
        states[j] = next;
      }
    }
  }

  // Lines with contiguous elements are scanned side by side, so that memory is read in order.
  template <typename T>
  static void Rows(const ScanLines& lines, const T* const* inputs, T* out) {
    Wide<T> states[kScanChunk];
    for (int64 j = 0; j < lines.count; ++j) states[j] = Step::template Start<T>();
    for (int64 k = 0, row = lines.first; k < lines.rows; ++k, row += lines.step) {
      MATH_OPS_INDEPENDENT
      for (int64 j = 0; j < lines.count; ++j) {
        const Wide<T> next = Step::template Next<T>(states[j], inputs, row + j);
        out[row + j] = static_cast<T>(lines.exclusive ? states[j] : next);
        states[j] = next;
      }
    }
  }

  template <typename T>
  static void Run(const ScanLines& lines, const void* const* ins, void* outs) {
    const T* inputs[Step::kInputs];
    for (int i = 0; i < Step::kInputs; ++i) inputs[i] = static_cast<const T*>(ins[i]);
    T* const out = static_cast<T*>(outs);
    if (lines.line_step == 1 && lines.count > 1) return Rows(lines, inputs, out);
    constexpr int64 kCount = kScannedTogether;
    int64 j = 0;
    for (; j + kCount <= lines.count; j += kCount) {
      Together<T, kCount>(lines, lines.first + j * lines.line_step, inputs, out);
    }
    for (; j < lines.count; ++j) Together<T, 1>(lines, lines.first + j * lines.line_step, inputs, out);
  }

  template <typename T>
  static ScanLoop For() {
    return &Run<LoopType<Step, T>>;
  }
};

// Divides the lines among the host's threads.
opsrun::Status RunScan(opsrun::OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs, ScanLoop loop,
                       const void* const* inputs, void* output);

template <typename Step, typename Types>
class ScanOp : public ScanKernel {
 public:
  explicit ScanOp(opsrun::OpKernelConstruction* context)
      : ScanKernel(context), loop_(LoopFor<ScanLoops<Step>>(context->input_type(0), Types())) {}

 protected:
  opsrun::Status Scan(opsrun::OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs,
                      const void* const* inputs, void* output) const override {
    return RunScan(context, shape, attrs, loop_, inputs, output);
  }

 private:
  const ScanLoop loop_;
};

}  // namespace math_ops

// plugins/math_ops/scan.cc: Cumsum, Cumprod and LinearRecurrence.
// SPDX-License-Identifier: Apache-2.0
#include "scan.h"

#include "opsrun/check_shapes.h"
#include "reduce.h"

namespace math_ops {

using namespace shape_inference;

ScanShape::ScanShape(const TensorShape& shape, int axis) : rows(shape.dim_size(axis)) {
  for (int i = 0; i < axis; ++i) matrices *= shape.dim_size(i);
  for (int i = axis + 1; i < shape.dims(); ++i) width *= shape.dim_size(i);
}

ScanKernel::ScanKernel(OpKernelConstruction* context, Scan scan) : OpKernel(context), scan_(scan) {
  OP_REQUIRES_OK(context, context->GetAttr("exclusive", &attrs_.exclusive));
  OP_REQUIRES_OK(context, context->GetAttr("reverse", &attrs_.reverse));
}

void ScanKernel::Compute(OpKernelContext* context) {
  const int tensors = context->num_inputs() - 1;
  const TensorShape shape = context->input(0).shape();
  const void* inputs[kMostScanned] = {};
  for (int i = 0; i < tensors; ++i) {
    OP_REQUIRES_OK(context, CheckShape(context->input(i).shape(), "terms", shape, "factors"));
    inputs[i] = context->input(i).data();
  }
  int axis = 0;
  OP_REQUIRES_OK(context, ReadAxis(context->input(tensors), "axis", shape.dims(), &axis));
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context,
                 tensors == 1 ? MakeOutput(context, {0}, shape, &output) : MakeOutput(context, {0, 1}, shape, &output));
  if (shape.num_elements() == 0) return;
  OP_REQUIRES_OK(context, scan_(context, ScanShape(shape, axis), attrs_, inputs, output->data()));
}

Status ScanShapeFn(InferenceContext* c) {
  const int last = c->num_inputs() - 1;
  ShapeHandle shape = c->input(0), scalar;
  for (int i = 1; i < last; ++i) TF_RETURN_IF_ERROR(c->Merge(shape, c->input(i), &shape));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(last), 0, &scalar));
  const Tensor* given = c->input_tensor(last);
  int axis = 0;
  if (given != nullptr && c->RankKnown(shape)) TF_RETURN_IF_ERROR(ReadAxis(*given, "axis", c->Rank(shape), &axis));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 1, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

namespace {

// Some of the lines of a tensor: element k of line j is at first + j * line_step + k * step, for k in [0, rows).
struct ScanLines {
  int64 first, line_step, step, rows, count;
  bool exclusive;
};

constexpr int64 kScanChunk = 512;      // the most lines that are scanned side by side
constexpr int64 kScannedTogether = 8;  // of lines whose elements are contiguous

// The lines of group i in ScanLoops::Run.
ScanLines LinesOf(const ScanShape& shape, ScanAttrs attrs, int64 i, int64 size) {
  ScanLines lines;
  lines.rows = shape.rows;
  lines.exclusive = attrs.exclusive;
  const bool is_flat = shape.width == 1;  // the elements of a line are contiguous
  const int64 groups = is_flat ? 1 : (shape.width + size - 1) / size, begin = i % groups * size;
  lines.first = is_flat ? i * size * shape.rows : i / groups * shape.rows * shape.width + begin;
  lines.count = std::min(size, is_flat ? shape.matrices - i * size : shape.width - begin);
  lines.line_step = is_flat ? shape.rows : 1;
  lines.step = shape.width;
  if (!attrs.reverse) return lines;
  lines.first += (shape.rows - 1) * shape.width;
  lines.step = -shape.width;
  return lines;
}

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
  static void ScanSome(const ScanLines& lines, const T* const* inputs, T* out) {
    if (lines.line_step == 1 && lines.count > 1) return Rows(lines, inputs, out);
    constexpr int64 kCount = kScannedTogether;
    int64 j = 0;
    for (; j + kCount <= lines.count; j += kCount) {
      Together<T, kCount>(lines, lines.first + j * lines.line_step, inputs, out);
    }
    for (; j < lines.count; ++j) Together<T, 1>(lines, lines.first + j * lines.line_step, inputs, out);
  }

  // Divides the lines among the host's threads.
  template <typename T>
  static Status Run(OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs, const void* const* ins,
                    void* out) {
    const T* inputs[Step::kInputs];
    for (int i = 0; i < Step::kInputs; ++i) inputs[i] = static_cast<const T*>(ins[i]);
    const int64 size = shape.width == 1 ? kScannedTogether : std::min(kScanChunk, shape.width);
    const int64 groups =
        shape.width == 1 ? (shape.matrices + size - 1) / size : shape.matrices * ((shape.width + size - 1) / size);
    Shard(context, groups, shape.rows * size + 10, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) ScanSome(LinesOf(shape, attrs, i, size), inputs, static_cast<T*>(out));
    });
    return Status::OK();
  }
};

// Cumsum and Cumprod, and LinearRecurrence, which the gradient of products uses.

#define NOTE_ON_STATES                                                                                                \
  "Integers wrap on overflow. float16 and bfloat16 are computed as float32, and each result is rounded once. On the " \
  "CPU, elements are taken one after the other; on a GPU, long "

REGISTER_SCAN("Cumsum", MATH_OPS_NUMBERS, .Input("x: T"))
    .Gradient(R"yaml(
nodes:
  dx: {op: Cumsum, in: [grad.out, axis], attrs: {exclusive: {attr: exclusive}, )yaml" BACKWARD R"yaml(}}
outputs: {x: dx, axis: null}
)yaml")
    .Doc("Computes the sum of each element and all before it along an axis.\n\n" NOTE_ON_STATES
         "lines are added in parts.\n\nx: Numbers, with at least one dimension.\n" SCAN_DOC(
             "The sums, in the shape of x."));

// The gradient of an element through all later results: the sum of each result's gradient times the factors from the
// element to it. `from_here` is for results that include the factor at their own position, `from_later` for exclusive
// ones.
#define GRADIENTS_OF_LATER(factors)                                                                      \
  "  carried: {op: Mul, in: [" factors                                                                   \
  ", grad.out]}\n"                                                                                       \
  "  later: {op: LinearRecurrence, in: [" factors ", carried, axis], attrs: {exclusive: true, " BACKWARD \
  "}}\n"                                                                                                 \
  "  from_here: {op: Add, in: [grad.out, later]}\n"                                                      \
  "  from_later: {op: LinearRecurrence, in: [" factors ", grad.out, axis], attrs: {exclusive: true, " BACKWARD "}}\n"

// A result is the product of the factors before an element, the element, and the factors after it. Dividing the result
// by the element would give NaN for 0.
REGISTER_SCAN("Cumprod", MATH_OPS_NUMBERS, .Input("x: T"))
    .Gradient(R"yaml(
nodes:
  conj_x: {op: Conj, in: x}
)yaml" GRADIENTS_OF_LATER("conj_x") R"yaml(
  before: {op: Cumprod, in: [conj_x, axis], attrs: {exclusive: true, reverse: {attr: reverse}}}
  dx: {op: Mul, in: [before, from_here]}
  dx_exclusive: {op: Mul, in: [before, from_later]}
outputs: {x: {attr: exclusive, true: dx_exclusive, false: dx}, axis: null}
)yaml")
    .Doc("Computes the product of each element and all before it along an axis.\n\n" NOTE_ON_STATES
         "lines of integers are multiplied in parts.\n\nx: Numbers, with at least one dimension.\n" SCAN_DOC(
             "The products, in the shape of x."));

REGISTER_SCAN("LinearRecurrence", MATH_OPS_FLOATS_AND_COMPLEXES, .Input("factors: T").Input("terms: T"))
    .Gradient(R"yaml(
nodes:
  conj_factors: {op: Conj, in: factors}
)yaml" GRADIENTS_OF_LATER("conj_factors") R"yaml(
  before: {op: LinearRecurrence, in: [factors, terms, axis], attrs: {exclusive: true, reverse: {attr: reverse}}}
  conj_before: {op: Conj, in: before}
  dfactors: {op: Mul, in: [conj_before, from_here]}
  dfactors_exclusive: {op: Mul, in: [conj_before, from_later]}
outputs:
  factors: {attr: exclusive, true: dfactors_exclusive, false: dfactors}
  terms: {attr: exclusive, true: from_later, false: from_here}
  axis: null
)yaml")
    .Doc(
        "Computes y[i] = factors[i] * y[i - 1] + terms[i] along an axis, beginning with 0: sums that decay, or linear "
        "filters.\n\nfloat16 and bfloat16 are computed as float32, and each result is rounded once. The gradients of "
        "Cumprod are made of it.\n\nfactors: Numbers, with at least one dimension.\nterms: Numbers, in the shape of "
        "factors.\n" SCAN_DOC("The results, in the shape of factors."));

REGISTER_KERNEL_BUILDER(Name("Cumsum").Device(DEVICE_CPU), ScanOp<ScanLoops<SumStep>, Numbers>)
REGISTER_KERNEL_BUILDER(Name("Cumprod").Device(DEVICE_CPU), ScanOp<ScanLoops<ProductStep>, Numbers>)
REGISTER_KERNEL_BUILDER(Name("LinearRecurrence").Device(DEVICE_CPU),
                        ScanOp<ScanLoops<RecurrenceStep>, FloatsAndComplexes>)

}  // namespace
}  // namespace math_ops

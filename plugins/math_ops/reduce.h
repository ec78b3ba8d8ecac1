// plugins/math_ops/reduce.h: reduces a tensor along some of its dimensions, on the host's threads.
//
// How the work is divided does not depend on the number of threads, so the result does not either.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/common_shape_fns.h"
#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "simple_loops.h"

namespace math_ops {

// Reductions on all devices.

// A kernel with the inputs `input` and `reduction_indices`, and the attr keep_dims.
class ReduceKernel : public OpKernel {
 public:
  // one_gives_itself: the result for one element is that element, so the output is the input if nothing is reduced.
  ReduceKernel(OpKernelConstruction* context, bool one_gives_itself);
  void Compute(OpKernelContext* context) override;

 protected:
  // Writes `output`, the reduction of `input` along the dimensions i for which reduced[i]. Requires: `output` has as
  // many elements as the other dimensions.
  virtual Status Run(OpKernelContext* context, const Tensor& input, const bool* reduced, Tensor* output) const = 0;

 private:
  const bool one_gives_itself_;
  bool keep_dims_ = false;
};

// Reducer: CpuReducer, or its GPU counterpart.
template <typename Reducer>
class ReduceOp : public ReduceKernel {
 public:
  explicit ReduceOp(OpKernelConstruction* context)
      : ReduceKernel(context, Reducer::kOneGivesItself), reduce_(context->input_type(0)) {}

 protected:
  Status Run(OpKernelContext* context, const Tensor& input, const bool* reduced, Tensor* output) const override {
    return reduce_(context, input, reduced, output);
  }

 private:
  const Reducer reduce_;
};

// INVALID_ARGUMENT: the mean of no integers.
template <typename Reducer>
class MeanOp : public ReduceOp<Reducer> {
 public:
  using ReduceOp<Reducer>::ReduceOp;

 protected:
  Status Run(OpKernelContext* context, const Tensor& input, const bool* reduced, Tensor* output) const override {
    const auto& others = TypesOf<FloatsAndComplexes>::kAll;
    const bool of_integers = std::find(others.begin(), others.end(), input.dtype()) == others.end();
    if (!of_integers || input.NumElements() > 0 || output->NumElements() == 0)
      return ReduceOp<Reducer>::Run(context, input, reduced, output);
    return errors::InvalidArgument("integers have no mean if there are none; the reduced dimensions have no elements")
        .Blame("input:input");
  }
};

// FastestLoop for folds. reduce.cc has all of them, so that their loops are compiled once.
template <typename Fold, typename Types>
const FoldLoops* FastestFold(DataType type);

// Writes `output`, the reduction of `input` along the dimensions i for which reduced[i]. Requires: `output` has as many
// elements as the other dimensions.
void Reduce(OpKernelContext* context, const Tensor& input, const bool* reduced, const FoldLoops& loops, Tensor* output);

// Reduce with the loops of a fold for one element type.
template <typename Fold, typename Types>
class CpuReducer {
 public:
  static constexpr bool kOneGivesItself = !kMapsElements<Fold, float>;
  explicit CpuReducer(DataType type) : loops_(FastestFold<Fold, Types>(ComparedAs(type))) {}
  Status operator()(OpKernelContext* context, const Tensor& input, const bool* reduced, Tensor* output) const {
    Reduce(context, input, reduced, *loops_, output);
    return Status::OK();
  }

 private:
  const FoldLoops* const loops_;
};

// REGISTER_REDUCTION("Sum", "half, float").Gradient(..).Doc(..): an op that reduces along axes.
#define REGISTER_REDUCTION_WITH(shape_fn, name, types) \
  REGISTER_OP(name)                                    \
      .Input("input: T")                               \
      .Input("reduction_indices: Tidx")                \
      .Output("output: T")                             \
      .Attr("T: {" types "}")                          \
      .Attr("Tidx: {int32, int64} = DT_INT32")         \
      .Attr("keep_dims: bool = false")                 \
      .SetShapeFn(shape_fn)
#define REGISTER_REDUCTION(name, types) REGISTER_REDUCTION_WITH(AxesShapeFn, name, types)
// Also propagates integers that are known before a run: of(c, result, x) folds x into result, which starts as `first`.
#define REGISTER_FOLD(name, types, first, of) \
  REGISTER_REDUCTION_WITH((FoldedShape<first, shape_inference::of>), name, types)

// The end of a reduction's doc, including its behavior without axes.
#define REDUCTION_DOC_WITH(input, without_axes, output)                                                             \
  "input: " input                                                                                                   \
  "\nreduction_indices: The axes to reduce along, a scalar or a vector. Negative ones count from the end. Without " \
  "any, " without_axes "\noutput: " output                                                                          \
  "\nkeep_dims: Keeps the reduced dimensions, with size 1, so that the output can be broadcast with the input.\n"
#define REDUCTION_DOC(input, output) REDUCTION_DOC_WITH(input, "the output is the input.", output)

// The start of a reduction's gradient: the shape of the input, and that of the output with ones at the axes.
#define REDUCED_SHAPES                \
  "nodes:\n"                          \
  "  shape: {op: Shape, in: input}\n" \
  "  kept: {op: ReducedShape, in: [shape, reduction_indices]}\n"

// The dimensions of a reduction.
//
// Adjacent dimensions that are both reduced, or both kept, are joined. If the last one is reduced, each result is made
// from runs of consecutive elements; if it is kept, consecutive results are made from rows.

// Nested dimensions of a part of the input, and their strides.
struct Dims {
  int rank = 0;
  int64 sizes[OPSRUN_MAX_RANK], strides[OPSRUN_MAX_RANK];

  void AddInside(int64 size, int64 stride) {
    sizes[rank] = size;
    strides[rank++] = stride;
  }
  int64 Count() const {
    int64 count = 1;
    for (int i = 0; i < rank; ++i) count *= sizes[i];
    return count;
  }
  int64 OffsetOf(int64 i) const {
    int64 offset = 0;
    for (int d = rank - 1; d > 0; --d) {
      offset += i % sizes[d] * strides[d];
      i /= sizes[d];
    }
    return rank == 0 ? 0 : offset + i * strides[0];
  }
};

// The input as outer kept dimensions, outer reduced dimensions, a line of reduced elements, and a row of results.
struct Layout {
  Dims kept, reduced;
  int64 line = 1, line_stride = 1;
  int64 width = 1;  // of the row; 1 if the elements of a line are contiguous

  Layout(const TensorShape& shape, const bool* is_reduced) {
    Dims all;
    bool flags[OPSRUN_MAX_RANK];
    Collapse(shape, is_reduced, &all, flags);
    int last = all.rank;
    if (last > 0 && !flags[last - 1]) width = all.sizes[--last];
    for (int i = 0; i < last; ++i) (flags[i] ? reduced : kept).AddInside(all.sizes[i], all.strides[i]);
    if (reduced.rank == 0) return;
    --reduced.rank;
    line = reduced.sizes[reduced.rank];
    line_stride = reduced.strides[reduced.rank];
  }

 private:
  // Visits dimensions from last to first, and then reverses them.
  static void Collapse(const TensorShape& shape, const bool* is_reduced, Dims* all, bool* flags) {
    int64 stride = 1;
    for (int i = shape.dims() - 1; i >= 0; --i) {
      const int64 size = shape.dim_size(i);
      if (size == 1) continue;
      if (all->rank > 0 && flags[all->rank - 1] == is_reduced[i]) {
        all->sizes[all->rank - 1] *= size;
      } else {
        flags[all->rank] = is_reduced[i];
        all->AddInside(size, stride);
      }
      stride *= size;
    }
    std::reverse(all->sizes, all->sizes + all->rank);
    std::reverse(all->strides, all->strides + all->rank);
    std::reverse(flags, flags + all->rank);
  }
};

// The axes of a reduction, its second input.

// Sets reduced[i], for each of `rank` dimensions, to whether the axes contain it. `axes` is a scalar or vector of int32
// or int64. INVALID_ARGUMENT: an axis is out of range, or given twice.
Status ReadAxes(const Tensor& axes, int rank, bool* reduced);

// Sets *axis to the axis in the input `input`, a scalar of int32 or int64 in host memory, for a tensor of that rank.
// INVALID_ARGUMENT, blaming the input: it is out of range.
Status ReadAxis(const Tensor& given, const char* input, int rank, int* axis);

// The shape function of reductions: ReductionShape, which also rejects duplicate axes.
Status AxesShapeFn(shape_inference::InferenceContext* c);

// The same for an op that folds the elements along the axes, starting with kFirst.
template <int64_t kFirst, shape_inference::ElementFunction kFunction>
Status FoldedShape(shape_inference::InferenceContext* c) {
  bool reduced[OPSRUN_MAX_RANK];
  const Tensor* axes = c->input_tensor(1);
  TF_RETURN_IF_ERROR(AxesShapeFn(c));
  if (axes == nullptr || !c->passed_elements(0)) return Status::OK();
  TF_RETURN_IF_ERROR(ReadAxes(*axes, c->Rank(c->input(0)), reduced));
  shape_inference::FoldElements(c, reduced, kFirst, kFunction);
  return Status::OK();
}

// The shape without the reduced dimensions, or with 1 in their place.
TensorShape ReducedShape(const TensorShape& shape, const bool* reduced, bool keep_dims);

// SumToShape and L2Loss on all devices.

// The shape in a vector of int32 or int64. INVALID_ARGUMENT, blaming input "shape": it is not a shape.
Status ReadShape(const Tensor& sizes, TensorShape* shape);

// Sets summed[i] to whether dimension i of the input is summed. INVALID_ARGUMENT: `shape` cannot be broadcast to the
// input's shape.
Status FindSummedDims(const TensorShape& input, const TensorShape& shape, bool* summed);

// Reducer: of a SumFold.
template <typename Reducer>
class SumToShapeOp : public OpKernel {
 public:
  explicit SumToShapeOp(OpKernelConstruction* context) : OpKernel(context), sum_(context->input_type(0)) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    TensorShape shape;
    OP_REQUIRES_OK(context, ReadShape(context->input(1), &shape));
    if (shape == input.shape()) return context->set_output(0, input);
    bool summed[OPSRUN_MAX_RANK];
    OP_REQUIRES_OK(context, FindSummedDims(input.shape(), shape, summed));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    OP_REQUIRES_OK(context, sum_(context, input, summed, output));
  }

 private:
  const Reducer sum_;
};

// Reducer: of a HalfSquaresFold.
template <typename Reducer>
class L2LossOp : public OpKernel {
 public:
  explicit L2LossOp(OpKernelConstruction* context) : OpKernel(context), reduce_(context->input_type(0)) {}

  void Compute(OpKernelContext* context) override {
    bool reduced[OPSRUN_MAX_RANK];
    std::fill(std::begin(reduced), std::end(reduced), true);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    OP_REQUIRES_OK(context, reduce_(context, context->input(0), reduced, output));
  }

 private:
  const Reducer reduce_;
};

}  // namespace math_ops

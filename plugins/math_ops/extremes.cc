// plugins/math_ops/extremes.cc: Max, Min, All, Any, ArgMax and ArgMin.
// SPDX-License-Identifier: Apache-2.0
#include "folds.h"
#include "reduce.h"

namespace math_ops {
namespace {

// All elements that equal the result get the same share of the gradient.
#define EXTREME_REDUCTION_GRADIENT                                  \
  REDUCED_SHAPES                                                    \
  "  result: {op: Reshape, in: [output, kept]}\n"                   \
  "  g: {op: Reshape, in: [grad.output, kept]}\n"                   \
  "  is_result: {op: Equal, in: [input, result]}\n"                 \
  "  weight: {op: Cast, in: is_result, attrs: {DstT: {attr: T}}}\n" \
  "  total: {op: Sum, in: [weight, reduction_indices]}\n"           \
  "  kept_total: {op: Reshape, in: [total, kept]}\n"                \
  "  share: {op: RealDiv, in: [weight, kept_total]}\n"              \
  "  dinput: {op: Mul, in: [share, g]}\n"                           \
  "outputs: {input: dinput, reduction_indices: null}\n"

#define REGISTER_EXTREME_REDUCTION(name, Fold, which, infinity)                                                 \
  REGISTER_REDUCTION(name, MATH_OPS_REAL_NUMBERS)                                                               \
      .Gradient(EXTREME_REDUCTION_GRADIENT)                                                                     \
      .Doc("Gives the " which                                                                                   \
           " of the elements along some dimensions.\n\nIt is NaN if one of them is NaN. Of "                    \
           "no elements, it is " infinity " integer.\n\n" REDUCTION_DOC("Numbers.", "The " which " numbers.")); \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU), ReduceOp<CpuReducer<Fold, RealNumbers>>)
REGISTER_EXTREME_REDUCTION("Max", MaxFold, "largest", "-inf, or the smallest")
REGISTER_EXTREME_REDUCTION("Min", MinFold, "smallest", "inf, or the largest")

#define REGISTER_LOGICAL_REDUCTION(name, Fold, which, of_none)        \
  REGISTER_OP(name)                                                   \
      .Input("input: bool")                                           \
      .Input("reduction_indices: Tidx")                               \
      .Output("output: bool")                                         \
      .Attr("Tidx: {int32, int64} = DT_INT32")                        \
      .Attr("keep_dims: bool = false")                                \
      .SetShapeFn(AxesShapeFn)                                        \
      .NotDifferentiable()                                            \
      .Doc("Tests whether " which " along some dimensions " of_none); \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU), ReduceOp<CpuReducer<Fold, TypeList<uint8_t>>>)
REGISTER_LOGICAL_REDUCTION("All", AllFold, "all elements",
                           "are true. Of no elements, all are.\n\n" REDUCTION_DOC("Bools.", "Whether all are true."))
REGISTER_LOGICAL_REDUCTION("Any", AnyFold, "any element",
                           "is true. Of no elements, none is.\n\n" REDUCTION_DOC("Bools.", "Whether any is true."))

// The largest index that an integer type can hold.
int64 LargestIndex(DataType type) {
  return type == DT_INT16 ? kint16max : type == DT_UINT16 ? kuint16max : type == DT_INT32 ? kint32max : kint64max;
}

}  // namespace

Status ArgKernel::CheckSize(int64 size) const {
  if (size == 0) {
    return errors::InvalidArgument("the dimension has no elements, so none of them is the ",
                                   type_string() == "ArgMax" ? "largest" : "smallest")
        .Blame("input:input");
  }
  if (size - 1 <= LargestIndex(output_type(0))) return Status::OK();
  return errors::InvalidArgument("the dimension has ", size, " elements, more than ", DataTypeName(output_type(0)),
                                 " can count; set output_type: int64")
      .Blame("attr:output_type");
}

void ArgKernel::Compute(OpKernelContext* context) {
  const Tensor& input = context->input(0);
  int axis = 0;
  OP_REQUIRES_OK(context, ReadAxis(context->input(1), "dimension", input.dims(), &axis));
  OP_REQUIRES_OK(context, CheckSize(input.dim_size(axis)));
  TensorShape shape = input.shape();
  shape.RemoveDim(axis);
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
  if (shape.num_elements() > 0) OP_REQUIRES_OK(context, Search(context, input, axis, output));
}

// ArgMax and ArgMin.

namespace {

using namespace shape_inference;

constexpr int64 kChunk = 512;

// out[j] = the first k in [0, size) for which in[k * stride + j] is the best, for j in [0, width). Requires: width is
// at most kChunk.
typedef void (*ArgRows)(const void* in, int64 size, int64 stride, int64 width, int64* out);

template <typename Fold>
struct ArgRowsFor {
  template <typename T>
  static void Run(const void* in, int64 size, int64 stride, int64 width, int64* out) {
    const T* const from = static_cast<const T*>(in);
    Wide<T> best[kChunk];
    for (int64 j = 0; j < width; ++j) best[j] = static_cast<Wide<T>>(from[j]);
    for (int64 j = 0; j < width; ++j) out[j] = 0;
    for (int64 k = 1; k < size; ++k) {
      for (int64 j = 0; j < width; ++j) {
        const auto x = static_cast<Wide<T>>(from[k * stride + j]);
        const bool better = Fold::IsBetter(x, best[j]);
        best[j] = better ? x : best[j];
        out[j] = better ? k : out[j];
      }
    }
  }
};

struct IndexWriter {
  template <typename T>
  static void Run(const int64* indices, int64 n, int64 at, Tensor* output) {
    T* const out = static_cast<T*>(output->data()) + at;
    for (int64 i = 0; i < n; ++i) out[i] = static_cast<T>(indices[i]);
  }
};
typedef TypeList<int16_t, uint16_t, int32_t, int64_t> IndexTypes;

template <typename Fold>
class ArgOp : public ArgKernel {
 public:
  explicit ArgOp(OpKernelConstruction* context)
      : ArgKernel(context),
        lines_(FastestFold<Fold, RealNumbers>(ComparedAs(context->input_type(0)))->find),
        rows_(LoopFor<ArgRowsFor<Fold>>(ComparedAs(context->input_type(0)), RealNumbers())),
        write_(LoopFor<IndexWriter>(context->output_type(0), IndexTypes())) {}

 protected:
  Status Search(OpKernelContext* context, const Tensor& input, int axis, Tensor* output) const override {
    int64 width = 1;
    for (int i = axis + 1; i < input.dims(); ++i) width *= input.dim_size(i);
    if (width == 1) {
      SearchLines(context, input, input.dim_size(axis), output);
    } else {
      SearchRows(context, input, input.dim_size(axis), width, output);
    }
    return Status::OK();
  }

 private:
  void SearchLines(OpKernelContext* context, const Tensor& input, int64 size, Tensor* output) const {
    const int64 element = DataTypeSize(input.dtype());
    Shard(context, input.NumElements() / size, size + 10, [&](int64 begin, int64 end) {
      int64 indices[kChunk];
      for (; begin < end; begin += kChunk) {
        const int64 n = std::min(kChunk, end - begin);
        lines_(static_cast<const char*>(input.data()) + begin * size * element, n, size, indices);
        write_(indices, n, begin, output);
      }
    });
  }

  // A unit of work is one chunk of the `width` elements of a row.
  void SearchRows(OpKernelContext* context, const Tensor& input, int64 size, int64 width, Tensor* output) const {
    const int64 chunks = (width + kChunk - 1) / kChunk, element = DataTypeSize(input.dtype());
    Shard(context, input.NumElements() / (size * width) * chunks, size * std::min(width, kChunk) + 10,
          [&](int64 begin, int64 end) {
            int64 indices[kChunk];
            for (int64 i = begin; i < end; ++i) {
              const int64 row = i / chunks, first = i % chunks * kChunk, n = std::min(kChunk, width - first);
              const int64 offset = row * size * width + first;
              rows_(static_cast<const char*>(input.data()) + offset * element, size, width, n, indices);
              write_(indices, n, row * width + first, output);
            }
          });
  }

  void (*const lines_)(const void* in, int64 lines, int64 n, int64* out);
  const ArgRows rows_;
  void (*const write_)(const int64* indices, int64 n, int64 at, Tensor* output);
};

Status ArgShape(InferenceContext* c) {
  ShapeHandle scalar;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &scalar));
  const ShapeHandle input = c->input(0);
  if (!c->RankKnown(input)) return shape_inference::UnknownShape(c);
  const Tensor* dimension = c->input_tensor(1);
  if (dimension == nullptr) {
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(input, 1, &scalar));
    c->set_output(0, c->UnknownShapeOfRank(c->Rank(input) - 1));
    return Status::OK();
  }
  int axis = 0;
  TF_RETURN_IF_ERROR(ReadAxis(*dimension, "dimension", c->Rank(input), &axis));
  std::vector<DimensionHandle> dims;
  for (int i = 0; i < c->Rank(input); ++i) {
    if (i != axis) dims.push_back(c->Dim(input, i));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

#define ARG_DOC(which)                                                                                                \
  "Finds the index of the " which                                                                                     \
  " element along a dimension.\n\nOf equal elements, it is the first. NaN counts as the " which                       \
  ".\n\ninput: Numbers, or bools, of which true is the larger one.\ndimension: Which dimension to search, a scalar. " \
  "A negative one counts from the end. TensorFlow's op takes int16 as well.\n"                                        \
  "output: The indices, in the shape of the input without that dimension.\noutput_type: The type of the indices.\n"

#define REGISTER_ARG_OP(name, Fold, which)                                  \
  REGISTER_OP(name)                                                         \
      .Input("input: T")                                                    \
      .Input("dimension: Tidx")                                             \
      .Output("output: output_type")                                        \
      .Attr("T: {" MATH_OPS_REAL_NUMBERS ", bool, " MATH_OPS_QUANTIZED "}") \
      .Attr("Tidx: {int32, int64} = DT_INT32")                              \
      .Attr("output_type: {int16, uint16, int32, int64} = DT_INT64")        \
      .SetShapeFn(ArgShape)                                                 \
      .NotDifferentiable()                                                  \
      .Doc(ARG_DOC(which));                                                 \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU), ArgOp<Fold>)
REGISTER_ARG_OP("ArgMax", MaxFold, "largest")
REGISTER_ARG_OP("ArgMin", MinFold, "smallest")

}  // namespace
}  // namespace math_ops

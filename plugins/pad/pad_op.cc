// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/register_types.h"
#include "opsrun/shape_inference.h"
#include "pad_kernel.h"

OPSRUN_PLUGIN("pad", "0.1.0");

namespace pad {
namespace {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

constexpr int kInput = 0;
constexpr int kPaddings = 1;

template <typename... Pieces>
Status BadPaddings(const Pieces&... pieces) {
  return errors::InvalidArgument(pieces...).Blame("input:paddings");
}

template <typename Int>
Status ReadRows(const Tensor& paddings, int rank, Axis* axes) {
  const auto rows = paddings.matrix<Int>();
  for (int i = 0; i < rank; ++i) {
    axes[i].before = rows(i, 0);
    axes[i].after = rows(i, 1);
    if (axes[i].before < 0 || axes[i].after < 0) {
      return BadPaddings("paddings must not be negative, but row ", i, " is [", rows(i, 0), ", ", rows(i, 1), "]");
    }
  }
  return Status::OK();
}

// Fills in the borders of `rank` axes and leaves their sizes as they are.
Status ReadPaddings(const Tensor& paddings, int rank, Axis* axes) {
  if (paddings.dims() != 2 || paddings.dim_size(1) != 2) {
    return BadPaddings("paddings must be a matrix of 2 columns, but its shape is ", paddings.shape().DebugString());
  }
  if (paddings.dim_size(0) != rank) {
    return BadPaddings("paddings must have a row for each of the input's ", rank, " dimensions, but its shape is ",
                       paddings.shape().DebugString());
  }
  return paddings.dtype() == DT_INT32 ? ReadRows<int32>(paddings, rank, axes) : ReadRows<int64>(paddings, rank, axes);
}

// Makes both inputs agree on a rank: *input has it, -1 where neither knows. *paddings is a matrix of 2 columns.
Status MergeRanks(InferenceContext* c, ShapeHandle* input, ShapeHandle* paddings) {
  DimensionHandle columns;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(kPaddings), 2, paddings).Blame("input:paddings"));
  TF_RETURN_IF_ERROR(c->WithValue(c->Dim(*paddings, 1), 2, &columns).Blame("input:paddings"));
  *input = c->input(kInput);
  const DimensionHandle rows = c->Dim(*paddings, 0);
  if (!c->ValueKnown(rows)) return Status::OK();
  if (c->RankKnown(*input) && c->Rank(*input) != c->Value(rows)) {
    return BadPaddings("paddings must have a row for each of the input's ", c->Rank(*input),
                       " dimensions, but its shape is ", c->DebugString(*paddings));
  }
  return c->WithRank(*input, c->Value(rows), input);
}

// Every dimension grows by its borders; without any, it stays the very same dimension, also while it is unknown.
Status PadDims(InferenceContext* c, ShapeHandle input, const std::vector<Axis>& axes, ShapeHandle* output) {
  std::vector<DimensionHandle> dims(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    dims[i] = c->Dim(input, static_cast<int>(i));
    for (const int64 border : {axes[i].before, axes[i].after}) {
      const Status grown = c->Add(dims[i], border, &dims[i]);
      if (!grown.ok()) return BadPaddings("row ", i, " of paddings is too large: ", grown.message());
    }
  }
  *output = c->MakeShape(dims);
  return Status::OK();
}

// [shape]
Status PadShape(InferenceContext* c) {
  ShapeHandle input, paddings, output;
  TF_RETURN_IF_ERROR(MergeRanks(c, &input, &paddings));
  const Tensor* values = c->input_tensor(kPaddings);
  if (!c->RankKnown(input)) {
    output = c->UnknownShape();
  } else if (values == nullptr) {
    output = c->UnknownShapeOfRank(c->Rank(input));
  } else {
    std::vector<Axis> axes(static_cast<size_t>(c->Rank(input)));
    TF_RETURN_IF_ERROR(ReadPaddings(*values, c->Rank(input), axes.data()));
    TF_RETURN_IF_ERROR(PadDims(c, input, axes, &output));
  }
  c->set_output(0, output);
  return Status::OK();
}
// [/shape]

// The output's shape, once it is sure that its bytes can be counted.
Status PaddedShape(const Axis* axes, int rank, int64 element_size, TensorShape* shape) {
  int64 bytes = element_size;
  for (int i = 0; i < rank; ++i) {
    int64 padded;
    if (__builtin_add_overflow(axes[i].before, axes[i].size, &padded) ||
        __builtin_add_overflow(padded, axes[i].after, &padded) || __builtin_mul_overflow(bytes, padded, &bytes)) {
      return BadPaddings("paddings make an output of 2^63 bytes or more: row ", i, " is [", axes[i].before, ", ",
                         axes[i].after, "]");
    }
    shape->AddDim(padded);
  }
  return Status::OK();
}

// One kernel for all types: it moves elements and knows only their size.
class PadOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(kInput);
    const int rank = input.dims();
    const int element_size = DataTypeSize(input.dtype());
    OP_REQUIRES(context, rank <= kMaxRank,
                errors::Unimplemented("Pad takes at most ", kMaxRank, " dimensions, but input has ", rank)
                    .Blame("input:input"));
    Axis axes[kMaxRank];
    TensorShape shape;
    for (int i = 0; i < rank; ++i) axes[i].size = input.dim_size(i);
    OP_REQUIRES_OK(context, ReadPaddings(context->input(kPaddings), rank, axes));
    OP_REQUIRES_OK(context, PaddedShape(axes, rank, element_size, &shape));

    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    const Layout layout = MakeLayout(axes, rank, element_size);
    static constexpr char kZero[16] = {};
    const Fill zeros(kZero, static_cast<size_t>(element_size));
    PadRuns(layout, zeros, input.data(), output->data(), 0, layout.num_runs);
  }
};

REGISTER_OP("Pad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .SetShapeFn(PadShape)
    .Doc(R"doc(
Puts a border of zeros around a tensor.

Dimension i of the output has paddings[i, 0] + input.shape[i] + paddings[i, 1] elements.

input: A tensor of numbers or bools, of at most 8 dimensions.
paddings: One row for each dimension of the input: how many zeros stand before and after it.
output: The input with its border.
)doc");

#define REGISTER_PAD(T) \
  REGISTER_KERNEL_BUILDER(Name("Pad").Device(DEVICE_CPU).TypeConstraint<T>("T").HostMemory("paddings"), PadOp);
TF_CALL_POD_TYPES(REGISTER_PAD)
#undef REGISTER_PAD

}  // namespace
}  // namespace pad

// plugins/pad/paddings.cc
// SPDX-License-Identifier: Apache-2.0
#include "paddings.h"

#include "border_op.h"

namespace pad {

using namespace opsrun;
using namespace shape_inference;

namespace {

template <typename Int>
void ReadRows(const Tensor& paddings, int rank, Axis* axes) {
  const auto rows = paddings.matrix<Int>();
  for (int i = 0; i < rank; ++i) {
    axes[i].before = rows(i, 0);
    axes[i].after = rows(i, 1);
  }
}

}  // namespace

Status NotTwoColumns(const std::string& shape) {
  return BadPaddings("paddings must be a matrix of 2 columns, but its shape is ", shape);
}

Status NotARowForEach(int rank, const std::string& shape) {
  return BadPaddings("paddings must have a row for each of the input's ", rank, " dimensions, but its shape is ",
                     shape);
}

Status CheckPaddingsShape(const TensorShape& paddings, int rank) {
  if (paddings.dims() != 2 || paddings.dim_size(1) != 2) return NotTwoColumns(paddings.DebugString());
  if (paddings.dim_size(0) != rank) return NotARowForEach(rank, paddings.DebugString());
  return Status::OK();
}

void ReadPaddings(const Tensor& paddings, int rank, Axis* axes) {
  paddings.dtype() == DT_INT32 ? ReadRows<int32>(paddings, rank, axes) : ReadRows<int64>(paddings, rank, axes);
}

Status CheckBorder(const Axis& axis, int i) {
  if (axis.before >= 0 && axis.after >= 0) return Status::OK();
  return NegativeBorder(std::to_string(axis.before), std::to_string(axis.after), i);
}

Status NegativeBorder(const std::string& before, const std::string& after, int i) {
  return BadPaddings("paddings must not be negative, but row ", i, " is [", before, ", ", after, "]");
}

Status CheckMirror(const Axis& axis, int i, Edge edge) {
  TF_RETURN_IF_ERROR(CheckBorder(axis, i));
  const int64 largest = axis.size - static_cast<int64>(edge);
  if (largest < 0)
    return BadPaddings("REFLECT needs an element to turn around at, but dimension ", i, " of input has none");
  if (axis.before <= largest && axis.after <= largest) return Status::OK();
  return BadPaddings(edge == Edge::kOnce ? "REFLECT" : "SYMMETRIC", " allows borders of at most ", largest,
                     " for dimension ", i, " of input, which has size ", axis.size, ", but row ", i,
                     " of paddings is [", axis.before, ", ", axis.after, "]");
}

Status PaddedShape(const Axis* axes, int rank, int64_t element_size, TensorShape* shape) {
  int64_t bytes = element_size;
  for (int i = 0; i < rank; ++i) {
    int64_t padded;
    if (__builtin_add_overflow(axes[i].before, axes[i].size, &padded) ||
        __builtin_add_overflow(padded, axes[i].after, &padded) || __builtin_mul_overflow(bytes, padded, &bytes)) {
      return BadPaddings("paddings make an output of 2^63 bytes or more: row ", i, " is [", axes[i].before, ", ",
                         axes[i].after, "]");
    }
    shape->AddDim(padded);
  }
  return Status::OK();
}

Status CheckShapes(OpKernelContext* context) {
  const int rank = context->input(kInput).dims();
  if (rank > kMaxRank) {
    return errors::Unimplemented("input may have at most ", kMaxRank, " dimensions, but has ", rank)
        .Blame("input:input");
  }
  return CheckPaddingsShape(context->input(kPaddings).shape(), rank);
}

void ReadAxes(OpKernelContext* context, Axis* axes) {
  const Tensor& input = context->input(kInput);
  for (int i = 0; i < input.dims(); ++i) axes[i].size = input.dim_size(i);
  ReadPaddings(context->input(kPaddings), input.dims(), axes);
}

Status MakeOutput(OpKernelContext* context, const Axis* axes, Tensor** output, bool* done) {
  const Tensor& input = context->input(kInput);
  TensorShape shape;
  TF_RETURN_IF_ERROR(PaddedShape(axes, input.dims(), ElementBytes(input.dtype()), &shape));
  *done = shape.num_elements() == 0;
  if (shape.num_elements() != input.NumElements()) return context->allocate_output(0, shape, output);
  int forwarded = -1;
  TF_RETURN_IF_ERROR(context->forward_input_or_allocate_output({kInput}, 0, shape, output, &forwarded));
  *done |= forwarded == kInput;
  return Status::OK();
}

namespace {

// Merges *paddings with a matrix of 2 columns.
Status MergeColumns(InferenceContext* c, ShapeHandle* paddings) {
  const ShapeHandle given = c->input(kPaddings);
  DimensionHandle columns;
  if (c->WithRank(given, 2, paddings).ok() && c->WithValue(c->Dim(*paddings, 1), 2, &columns).ok()) return Status::OK();
  return NotTwoColumns(c->DebugString(given));
}

// Merges the ranks of both inputs; *input has the result, if either is known.
Status MergeRanks(InferenceContext* c, ShapeHandle* input) {
  ShapeHandle paddings;
  TF_RETURN_IF_ERROR(MergeColumns(c, &paddings));
  *input = c->input(kInput);
  const DimensionHandle rows = c->Dim(paddings, 0);
  if (!c->ValueKnown(rows)) return Status::OK();
  if (c->RankKnown(*input) && c->Rank(*input) != c->Value(rows)) {
    return NotARowForEach(c->Rank(*input), c->DebugString(paddings));
  }
  return c->WithRank(*input, c->Value(rows), input);
}

// The known part of a dimension's border.
struct KnownBorder {
  KnownElement before, after;

  bool IsWhole() const { return before.known() && after.known(); }
  Status Check(int i) const {
    if (CheckBorder(AsAxis(), i).ok()) return Status::OK();
    const auto text = [](const KnownElement& size) { return size.known() ? std::to_string(size.value()) : "?"; };
    return NegativeBorder(text(before), text(after), i);
  }
  // The axis, with its size unset.
  Axis AsAxis() const { return {0, before.known() ? before.value() : 0, after.known() ? after.value() : 0}; }
};

Status TooLarge(InferenceContext* c, const KnownBorder& border, DimensionHandle dim, size_t i) {
  const Axis axis = border.AsAxis();
  return BadPaddings("row ", i, " of paddings is too large: ", axis.before, " + ", c->DebugString(dim), " + ",
                     axis.after, " is more than ", kint64max);
}

// A dimension without border stays the same dimension, even if its size is unknown.
Status PadDim(InferenceContext* c, DimensionHandle dim, const KnownBorder& border, size_t i, DimensionHandle* padded) {
  int64 sum;
  if (border.IsWhole()) {
    const bool fits =
        !__builtin_add_overflow(border.before.value(), border.after.value(), &sum) && c->Add(dim, sum, padded).ok();
    return fits ? Status::OK() : TooLarge(c, border, dim, i);
  }
  const bool fits =
      c->Add(c->SizeOf(border.before), dim, padded).ok() && c->Add(*padded, c->SizeOf(border.after), padded).ok();
  return fits ? Status::OK() : TooLarge(c, border, dim, i);
}

Status PadDims(InferenceContext* c, ShapeHandle input, const std::vector<KnownBorder>& borders, ShapeHandle* output) {
  std::vector<DimensionHandle> dims(borders.size());
  for (size_t i = 0; i < borders.size(); ++i) {
    TF_RETURN_IF_ERROR(PadDim(c, c->Dim(input, static_cast<int>(i)), borders[i], i, &dims[i]));
  }
  *output = c->MakeShape(dims);
  return Status::OK();
}

// The borders of `rank` dimensions; empty if the shape of paddings is unknown. Checks the known ones.
Status ReadBorders(InferenceContext* c, int rank, std::vector<KnownBorder>* borders) {
  if (const Tensor* paddings = c->input_tensor(kPaddings)) {
    TF_RETURN_IF_ERROR(CheckPaddingsShape(paddings->shape(), rank));
  }
  const auto elements = c->input_elements(kPaddings);
  if (!elements || elements->size() != 2 * static_cast<size_t>(rank)) return Status::OK();
  for (int i = 0; i < rank; ++i) {
    const size_t at = 2 * static_cast<size_t>(i);
    borders->push_back({(*elements)[at], (*elements)[at + 1]});
    TF_RETURN_IF_ERROR(borders->back().Check(i));
  }
  return Status::OK();
}

// INVALID_ARGUMENT: a border is larger than what it mirrors, as far as sizes are known.
Status CheckMirrors(InferenceContext* c, ShapeHandle input, const std::vector<KnownBorder>& borders) {
  Edge edge;
  TF_RETURN_IF_ERROR(GetEdge(c, &edge));
  for (int i = 0; i < c->Rank(input); ++i) {
    Axis axis = borders[static_cast<size_t>(i)].AsAxis();
    if (!c->ValueKnown(c->Dim(input, i))) continue;
    axis.size = c->Value(c->Dim(input, i));
    TF_RETURN_IF_ERROR(CheckMirror(axis, i, edge));
  }
  return Status::OK();
}

}  // namespace

// [shape]
Status PadShape(InferenceContext* c) {
  ShapeHandle input, output;
  std::vector<KnownBorder> borders;
  TF_RETURN_IF_ERROR(MergeRanks(c, &input));
  const int rank = c->Rank(input);
  if (rank >= 0) TF_RETURN_IF_ERROR(ReadBorders(c, rank, &borders));
  if (rank < 0 || (borders.empty() && rank > 0)) {
    output = c->UnknownShapeOfRank(rank);
  } else {
    TF_RETURN_IF_ERROR(PadDims(c, input, borders, &output));
  }
  c->set_output(0, output);
  return Status::OK();
}
// [/shape]

Status MirrorPadShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(PadShape(c));
  const ShapeHandle input = c->input(kInput);
  std::vector<KnownBorder> borders;
  if (!c->RankKnown(input)) return Status::OK();
  TF_RETURN_IF_ERROR(ReadBorders(c, c->Rank(input), &borders));
  return borders.empty() ? Status::OK() : CheckMirrors(c, input, borders);
}

Status MirrorPadGradShape(InferenceContext* c) {
  ShapeHandle input;
  std::vector<KnownBorder> borders;
  TF_RETURN_IF_ERROR(MergeRanks(c, &input));
  const int rank = c->Rank(input);
  c->set_output(0, c->UnknownShapeOfRank(rank));
  if (rank >= 0) TF_RETURN_IF_ERROR(ReadBorders(c, rank, &borders));
  if (rank < 0 || (borders.empty() && rank > 0)) return Status::OK();
  std::vector<DimensionHandle> dims(borders.size());
  for (int i = 0; i < rank; ++i) {
    const KnownBorder& border = borders[static_cast<size_t>(i)];
    DimensionHandle* const dim = &dims[static_cast<size_t>(i)];
    *dim = c->Dim(input, i);
    const bool fits =
        c->Subtract(*dim, c->SizeOf(border.before), dim).ok() && c->Subtract(*dim, c->SizeOf(border.after), dim).ok();
    if (fits) continue;
    const Axis axis = border.AsAxis();
    return BadPaddings("dimension ", i, " of input has size ", c->DebugString(c->Dim(input, i)), ", but row ", i,
                       " of paddings is [", axis.before, ", ", axis.after, "]");
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

}  // namespace pad

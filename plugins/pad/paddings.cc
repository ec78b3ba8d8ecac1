// SPDX-License-Identifier: Apache-2.0
#include "border_op.h"

namespace pad {

using namespace shape_inference;

namespace {

template <typename... Pieces>
Status BadPaddings(const Pieces&... pieces) {
  return errors::InvalidArgument(pieces...).Blame("input:paddings");
}

// Errors of kernels and of shape functions, where shapes and numbers may be partly known.
Status NotTwoColumns(const std::string& shape) {
  return BadPaddings("paddings must be a matrix of 2 columns, but its shape is ", shape);
}

Status NotARowForEach(int rank, const std::string& shape) {
  return BadPaddings("paddings must have a row for each of the input's ", rank, " dimensions, but its shape is ",
                     shape);
}

Status NegativeBorder(const std::string& before, const std::string& after, int i) {
  return BadPaddings("paddings must not be negative, but row ", i, " is [", before, ", ", after, "]");
}

// For MirrorPadGrad.
Status LargerThanInput(const std::string& size, const Axis& axis, int i) {
  return BadPaddings("dimension ", i, " of input has size ", size, ", but row ", i, " of paddings is [", axis.before,
                     ", ", axis.after, "]");
}

template <typename Int>
void ReadRows(const Tensor& paddings, int rank, Axis* axes) {
  const auto rows = paddings.matrix<Int>();
  for (int i = 0; i < rank; ++i) {
    axes[i].before = rows(i, 0);
    axes[i].after = rows(i, 1);
  }
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

// Merges the ranks of both inputs; *input has the result, if either is known.
Status MergeRanks(InferenceContext* c, ShapeHandle* input) {
  ShapeHandle paddings = c->input(kPaddings);
  DimensionHandle columns;
  if (!c->WithRank(paddings, 2, &paddings).ok() || !c->WithValue(c->Dim(paddings, 1), 2, &columns).ok()) {
    return NotTwoColumns(c->DebugString(c->input(kPaddings)));
  }
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

  Status Check(int i) const {
    if (CheckBorder(AsAxis(0), i, Border::kConstant).ok()) return Status::OK();
    const auto text = [](const KnownElement& size) { return size.known() ? std::to_string(size.value()) : "?"; };
    return NegativeBorder(text(before), text(after), i);
  }
  Axis AsAxis(int64 size) const {
    return {size, before.known() ? before.value() : 0, after.known() ? after.value() : 0};
  }
};

// A dimension without border stays the same dimension, even if its size is unknown.
Status PadDim(InferenceContext* c, const KnownBorder& border, int i, DimensionHandle* dim) {
  const DimensionHandle given = *dim;
  int64 sum;
  bool fits;
  if (border.before.known() && border.after.known()) {
    fits = !__builtin_add_overflow(border.before.value(), border.after.value(), &sum) && c->Add(*dim, sum, dim).ok();
  } else {
    fits = c->Add(c->SizeOf(border.before), *dim, dim).ok() && c->Add(*dim, c->SizeOf(border.after), dim).ok();
  }
  if (fits) return Status::OK();
  const Axis axis = border.AsAxis(0);
  return BadPaddings("row ", i, " of paddings is too large: ", axis.before, " + ", c->DebugString(given), " + ",
                     axis.after, " is more than ", kint64max);
}

Status RemoveBorder(InferenceContext* c, const KnownBorder& border, int i, DimensionHandle* dim) {
  const DimensionHandle given = *dim;
  const bool fits =
      c->Subtract(*dim, c->SizeOf(border.before), dim).ok() && c->Subtract(*dim, c->SizeOf(border.after), dim).ok();
  return fits ? Status::OK() : LargerThanInput(c->DebugString(given), border.AsAxis(0), i);
}

// The borders of `rank` dimensions; empty if the shape of paddings is unknown. Checks the known ones. Requires:
// MergeRanks returned OK.
Status ReadBorders(InferenceContext* c, int rank, std::vector<KnownBorder>* borders) {
  const auto elements = c->input_elements(kPaddings);
  if (!elements || elements->size() != 2 * static_cast<size_t>(rank)) return Status::OK();
  for (int i = 0; i < rank; ++i) {
    const size_t at = 2 * static_cast<size_t>(i);
    borders->push_back({(*elements)[at], (*elements)[at + 1]});
    TF_RETURN_IF_ERROR(borders->back().Check(i));
  }
  return Status::OK();
}

typedef Status (*ChangeDim)(InferenceContext* c, const KnownBorder& border, int i, DimensionHandle* dim);

// [shape]
// `change` applies the borders of a dimension, as far as they are known.
Status ChangeDims(InferenceContext* c, ChangeDim change) {
  ShapeHandle input;
  std::vector<KnownBorder> borders;
  TF_RETURN_IF_ERROR(MergeRanks(c, &input));
  const int rank = c->Rank(input);
  c->set_output(0, c->UnknownShapeOfRank(rank));
  if (rank >= 0) TF_RETURN_IF_ERROR(ReadBorders(c, rank, &borders));
  if (rank < 0 || (borders.empty() && rank > 0)) return Status::OK();
  std::vector<DimensionHandle> dims(borders.size());
  for (int i = 0; i < rank; ++i) {
    const size_t at = static_cast<size_t>(i);
    dims[at] = c->Dim(input, i);
    TF_RETURN_IF_ERROR(change(c, borders[at], i, &dims[at]));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}
// [/shape]

}  // namespace

Status CheckShapes(OpKernelContext* context) {
  const int rank = context->input(kInput).dims();
  if (rank > kMaxRank) {
    return errors::Unimplemented("input may have at most ", kMaxRank, " dimensions, but has ", rank)
        .Blame("input:input");
  }
  const TensorShape paddings = context->input(kPaddings).shape();
  if (paddings.dims() != 2 || paddings.dim_size(1) != 2) return NotTwoColumns(paddings.DebugString());
  return paddings.dim_size(0) == rank ? Status::OK() : NotARowForEach(rank, paddings.DebugString());
}

void ReadAxes(OpKernelContext* context, Axis* axes) {
  const Tensor &input = context->input(kInput), &paddings = context->input(kPaddings);
  const int rank = input.dims();
  for (int i = 0; i < rank; ++i) axes[i].size = input.dim_size(i);
  paddings.dtype() == DT_INT32 ? ReadRows<int32>(paddings, rank, axes) : ReadRows<int64>(paddings, rank, axes);
}

Status CheckBorder(const Axis& axis, int i, Border border) {
  if (axis.before < 0 || axis.after < 0) {
    return NegativeBorder(std::to_string(axis.before), std::to_string(axis.after), i);
  }
  if (border == Border::kConstant) return Status::OK();
  const int64 largest = axis.size - static_cast<int64>(border);
  if (largest < 0)
    return BadPaddings("REFLECT needs an element to reflect at, but dimension ", i, " of input has none");
  if (axis.before <= largest && axis.after <= largest) return Status::OK();
  return BadPaddings(border == Border::kReflect ? "REFLECT" : "SYMMETRIC", " allows borders of at most ", largest,
                     " for dimension ", i, " of input, which has size ", axis.size, ", but row ", i,
                     " of paddings is [", axis.before, ", ", axis.after, "]");
}

Status TakeBorderOff(Axis* axis, int i, Border border) {
  const int64 padded = axis->size;
  TF_RETURN_IF_ERROR(CheckBorder(*axis, i, Border::kConstant));
  if (axis->before > padded || axis->after > padded - axis->before) {
    return LargerThanInput(std::to_string(padded), *axis, i);
  }
  axis->size = padded - axis->before - axis->after;
  return CheckBorder(*axis, i, border);
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

Status PadShape(InferenceContext* c) {
  return ChangeDims(c, PadDim);
}

Status MirrorPadShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(PadShape(c));
  const ShapeHandle input = c->input(kInput);
  std::vector<KnownBorder> borders;
  Border border;
  TF_RETURN_IF_ERROR(GetMirror(c, &border));
  if (c->RankKnown(input)) TF_RETURN_IF_ERROR(ReadBorders(c, c->Rank(input), &borders));
  for (int i = 0; i < static_cast<int>(borders.size()); ++i) {
    const DimensionHandle size = c->Dim(input, i);
    if (!c->ValueKnown(size)) continue;
    TF_RETURN_IF_ERROR(CheckBorder(borders[static_cast<size_t>(i)].AsAxis(c->Value(size)), i, border));
  }
  return Status::OK();
}

Status MirrorPadGradShape(InferenceContext* c) {
  return ChangeDims(c, RemoveBorder);
}

}  // namespace pad

// SPDX-License-Identifier: Apache-2.0
#include "pad_shape.h"

#include <string>
#include <vector>

#include "axes.h"
#include "mirror_mode.h"
#include "paddings.h"

namespace pad {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::KnownElement;
using shape_inference::ShapeHandle;

namespace {

// *paddings is a matrix of 2 columns.
Status MergeColumns(InferenceContext* c, ShapeHandle* paddings) {
  const ShapeHandle given = c->input(kPaddings);
  DimensionHandle columns;
  if (c->WithRank(given, 2, paddings).ok() && c->WithValue(c->Dim(*paddings, 1), 2, &columns).ok()) return Status::OK();
  return NotTwoColumns(c->DebugString(given));
}

// Makes both inputs agree on a rank: *input has it, if either knows it.
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

// The border of a dimension before and after it, as far as it is known.
struct KnownBorder {
  KnownElement before, after;

  bool IsWhole() const { return before.known() && after.known(); }
  Status Check(int i) const {
    if (CheckBorder(AsAxis(), i).ok()) return Status::OK();
    const auto text = [](const KnownElement& size) { return size.known() ? std::to_string(size.value()) : "?"; };
    return NegativeBorder(text(before), text(after), i);
  }
  // The size of the axis is not filled in.
  Axis AsAxis() const { return {0, before.known() ? before.value() : 0, after.known() ? after.value() : 0}; }
};

Status TooLarge(InferenceContext* c, const KnownBorder& border, DimensionHandle dim, size_t i) {
  const Axis axis = border.AsAxis();
  return BadPaddings("row ", i, " of paddings is too large: ", axis.before, " + ", c->DebugString(dim), " + ",
                     axis.after, " is more than ", kint64max);
}

// A dimension without border stays the very same dimension, also while it is unknown.
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

// The borders of `rank` dimensions; none if the shape of paddings is not known. What is known of them is checked.
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

// Are there elements enough for the borders, as far as sizes are known?
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

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

// A dimension without border stays the very same dimension, also while it is unknown.
Status PadDim(InferenceContext* c, DimensionHandle dim, const Axis& axis, size_t i, DimensionHandle* padded) {
  int64 border;
  if (__builtin_add_overflow(axis.before, axis.after, &border) || !c->Add(dim, border, padded).ok()) {
    return BadPaddings("row ", i, " of paddings is too large: ", axis.before, " + ", c->DebugString(dim), " + ",
                       axis.after, " is more than ", kint64max);
  }
  return Status::OK();
}

Status PadDims(InferenceContext* c, ShapeHandle input, const std::vector<Axis>& axes, ShapeHandle* output) {
  std::vector<DimensionHandle> dims(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    TF_RETURN_IF_ERROR(PadDim(c, c->Dim(input, static_cast<int>(i)), axes[i], i, &dims[i]));
  }
  *output = c->MakeShape(dims);
  return Status::OK();
}

// What a graph writes down; the sizes are not filled in.
Status KnownAxes(const Tensor& paddings, int rank, std::vector<Axis>* axes) {
  TF_RETURN_IF_ERROR(CheckPaddingsShape(paddings.shape(), rank));
  axes->resize(static_cast<size_t>(rank));
  ReadPaddings(paddings, rank, axes->data());
  for (int i = 0; i < rank; ++i) TF_RETURN_IF_ERROR(CheckBorder((*axes)[static_cast<size_t>(i)], i));
  return Status::OK();
}

// Are there elements enough for the borders, as far as sizes are known?
Status CheckMirrors(InferenceContext* c, ShapeHandle input, std::vector<Axis>& axes) {
  Edge edge;
  TF_RETURN_IF_ERROR(GetEdge(c, &edge));
  for (int i = 0; i < c->Rank(input); ++i) {
    Axis& axis = axes[static_cast<size_t>(i)];
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
  TF_RETURN_IF_ERROR(MergeRanks(c, &input));
  const Tensor* paddings = c->input_tensor(kPaddings);
  if (!c->RankKnown(input)) {
    output = c->UnknownShape();
  } else if (paddings == nullptr) {
    output = c->UnknownShapeOfRank(c->Rank(input));
  } else {
    std::vector<Axis> axes;
    TF_RETURN_IF_ERROR(KnownAxes(*paddings, c->Rank(input), &axes));
    TF_RETURN_IF_ERROR(PadDims(c, input, axes, &output));
  }
  c->set_output(0, output);
  return Status::OK();
}
// [/shape]

Status MirrorPadShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(PadShape(c));
  const ShapeHandle input = c->input(kInput);
  const Tensor* paddings = c->input_tensor(kPaddings);
  if (!c->RankKnown(input) || paddings == nullptr) return Status::OK();
  std::vector<Axis> axes;
  TF_RETURN_IF_ERROR(KnownAxes(*paddings, c->Rank(input), &axes));
  return CheckMirrors(c, input, axes);
}

Status MirrorPadGradShape(InferenceContext* c) {
  ShapeHandle input;
  TF_RETURN_IF_ERROR(MergeRanks(c, &input));
  const Tensor* paddings = c->input_tensor(kPaddings);
  const int rank = c->Rank(input);
  c->set_output(0, c->UnknownShapeOfRank(rank));
  if (rank < 0 || paddings == nullptr) return Status::OK();
  std::vector<Axis> axes;
  TF_RETURN_IF_ERROR(KnownAxes(*paddings, rank, &axes));
  std::vector<DimensionHandle> dims(axes.size());
  for (int i = 0; i < rank; ++i) {
    const Axis& axis = axes[static_cast<size_t>(i)];
    DimensionHandle* const dim = &dims[static_cast<size_t>(i)];
    *dim = c->Dim(input, i);
    if (c->Subtract(*dim, axis.before, dim).ok() && c->Subtract(*dim, axis.after, dim).ok()) continue;
    return BadPaddings("dimension ", i, " of input has size ", c->DebugString(c->Dim(input, i)), ", but row ", i,
                       " of paddings is [", axis.before, ", ", axis.after, "]");
  }
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

}  // namespace pad

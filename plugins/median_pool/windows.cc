// SPDX-License-Identifier: Apache-2.0
#include "windows.h"

namespace median_pool {

using namespace shape_inference;

namespace {

constexpr const char* kSideNames[2] = {"height", "width"};
// More than the rows of any image; products of two such numbers fit int64.
constexpr int64 kLargest = int64{1} << 30;

Status ReadPair(const char* name, const std::vector<int64>& given, int64* pair) {
  const std::string subject = std::string("attr:") + name;
  if (given.size() != 2) {
    return errors::InvalidArgument(name, " must be two numbers, [height, width], but there are ", given.size())
        .Blame(subject);
  }
  for (int i = 0; i < 2; ++i) {
    pair[i] = given[static_cast<size_t>(i)];
    if (pair[i] >= 1 && pair[i] <= kLargest) continue;
    return errors::InvalidArgument("the ", kSideNames[i], " of ", name, " must be between 1 and ", kLargest,
                                   ", but is ", pair[i])
        .Blame(subject);
  }
  return Status::OK();
}

// The dimension of the height; the width's is the next one.
int HeightDim(int rank) {
  return rank == 4 ? 1 : 0;
}

Status CheckRank(int rank, const std::string& shape) {
  if (rank >= 2 && rank <= 4) return Status::OK();
  return errors::InvalidArgument(
             "input must have 2 dimensions (height, width), 3 (with channels) or 4 (with a batch before), but its "
             "shape is ",
             shape)
      .Blame("input:input");
}

Status CheckSide(int64 size, const WindowAttrs& attrs, int side) {
  if (attrs.same || size >= attrs.size[side]) return Status::OK();
  return errors::InvalidArgument("a window of ", kSideNames[side], " ", attrs.size[side],
                                 " does not fit into an input of ", kSideNames[side], " ", size,
                                 "; padding SAME cuts windows at the border")
      .Blame("attr:ksize");
}

Status PooledDim(InferenceContext* c, DimensionHandle size, const WindowAttrs& attrs, int side, DimensionHandle* out) {
  if (attrs.same && attrs.stride[side] == 1) {
    *out = size;
    return Status::OK();
  }
  if (!c->ValueKnown(size)) {
    *out = c->UnknownDim();
    return Status::OK();
  }
  TF_RETURN_IF_ERROR(CheckSide(c->Value(size), attrs, side));
  *out = c->MakeDim(MakeAxis(c->Value(size), attrs.size[side], attrs.stride[side], attrs.same).windows);
  return Status::OK();
}

}  // namespace

Status MakeWindowAttrs(const std::vector<int64>& ksize, const std::vector<int64>& strides, const std::string& padding,
                       WindowAttrs* attrs) {
  WindowAttrs read;
  read.same = padding == "SAME";
  TF_RETURN_IF_ERROR(ReadPair("ksize", ksize, read.size));
  TF_RETURN_IF_ERROR(ReadPair("strides", strides, read.stride));
  *attrs = read;
  return Status::OK();
}

Status WindowsOn(const TensorShape& shape, const WindowAttrs& attrs, Images* images) {
  TF_RETURN_IF_ERROR(CheckRank(shape.dims(), shape.DebugString()));
  Axis axes[2];
  for (int side = 0; side < 2; ++side) {
    const int64 size = shape.dim_size(HeightDim(shape.dims()) + side);
    TF_RETURN_IF_ERROR(CheckSide(size, attrs, side));
    axes[side] = MakeAxis(size, attrs.size[side], attrs.stride[side], attrs.same);
  }
  *images = {shape.dims() == 4 ? shape.dim_size(0) : 1, shape.dims() > 2 ? shape.dim_size(shape.dims() - 1) : 1,
             axes[0], axes[1]};
  return Status::OK();
}

TensorShape PooledShape(const TensorShape& input, const Images& images) {
  TensorShape shape = input;
  const int height = HeightDim(shape.dims());
  shape.set_dim(height, images.y.windows);
  shape.set_dim(height + 1, images.x.windows);
  return shape;
}

Status MedianPoolShape(InferenceContext* c) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(GetWindowAttrs(c, &attrs));
  ShapeHandle shape = c->input(0);
  if (c->RankKnown(shape)) {
    TF_RETURN_IF_ERROR(CheckRank(c->Rank(shape), c->DebugString(shape)));
    for (int side = 0; side < 2; ++side) {
      const int dim = HeightDim(c->Rank(shape)) + side;
      DimensionHandle pooled;
      TF_RETURN_IF_ERROR(PooledDim(c, c->Dim(shape, dim), attrs, side, &pooled));
      TF_RETURN_IF_ERROR(c->ReplaceDim(shape, dim, pooled, &shape));
    }
  }
  c->set_output(0, c->RankKnown(shape) ? shape : c->UnknownShape());
  return Status::OK();
}

}  // namespace median_pool

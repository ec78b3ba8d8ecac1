// plugins/math_ops/pooling.cc: see pooling.h.
// SPDX-License-Identifier: Apache-2.0
#include "pooling.h"

namespace math_ops {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

Status DoesNotDivide(int64 channels, int64 window) {
  return errors::InvalidArgument("a window of ", window,
                                 " channels must divide the channels of the images, but there are ", channels);
}

}  // namespace

Status MakePooling(const ImageAttrs& attrs, const TensorShape& shape, ImageWindows* images, TensorShape* pooled) {
  if (shape.dims() != 4) {
    return errors::InvalidArgument("images must have 4 dimensions, but their shape is ", shape.DebugString());
  }
  *pooled = shape;
  images->batch = shape.dim_size(0);
  images->channels = shape.dim_size(3);
  if (attrs.channels > 1) {
    if (images->channels % attrs.channels != 0) return DoesNotDivide(images->channels, attrs.channels);
    const int64 windows = images->channels / attrs.channels;
    images->y = {1, 1, 1, 1, 0, 1};
    images->x = {images->channels, attrs.channels, attrs.channels, 1, 0, windows};
    images->batch = shape.num_elements() / std::max<int64>(images->channels, 1);
    images->channels = 1;
    pooled->set_dim(3, windows);
    return Status::OK();
  }
  TF_RETURN_IF_ERROR(MakeWindowAxis(attrs, 0, shape.dim_size(1), attrs.ksize[0], &images->y));
  TF_RETURN_IF_ERROR(MakeWindowAxis(attrs, 1, shape.dim_size(2), attrs.ksize[1], &images->x));
  pooled->set_dim(1, images->y.windows);
  pooled->set_dim(2, images->x.windows);
  return Status::OK();
}

Status PooledShape(InferenceContext* c, const ImageAttrs& attrs, ShapeHandle* images, ShapeHandle* pooled) {
  TF_RETURN_IF_ERROR(c->WithRank(*images, 4, images));
  DimensionHandle sides[2], channels = c->Dim(*images, 3);
  if (c->ValueKnown(channels) && c->Value(channels) % attrs.channels != 0)
    return DoesNotDivide(c->Value(channels), attrs.channels);
  TF_RETURN_IF_ERROR(c->Divide(channels, attrs.channels, /*evenly_divisible=*/true, &channels));
  for (int side = 0; side < 2; ++side) {
    TF_RETURN_IF_ERROR(
        WindowsDim(c, attrs, side, c->Dim(*images, side + 1), c->MakeDim(attrs.ksize[side]), &sides[side]));
  }
  *pooled = c->MakeShape({c->Dim(*images, 0), sides[0], sides[1], channels});
  return Status::OK();
}

}  // namespace math_ops

// plugins/math_ops/pooling.cc: see pooling.h.
// SPDX-License-Identifier: Apache-2.0
#include "pooling.h"

namespace math_ops {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status MakePooling(const ImageAttrs& attrs, const TensorShape& shape, ImageWindows* images) {
  if (shape.dims() != 4) {
    return errors::InvalidArgument("images must have 4 dimensions, but their shape is ", shape.DebugString());
  }
  images->batch = shape.dim_size(0);
  images->channels = shape.dim_size(3);
  TF_RETURN_IF_ERROR(MakeWindowAxis(attrs, 0, shape.dim_size(1), attrs.ksize[0], &images->y));
  return MakeWindowAxis(attrs, 1, shape.dim_size(2), attrs.ksize[1], &images->x);
}

TensorShape PooledShape(const ImageWindows& images) {
  return TensorShape({images.batch, images.y.windows, images.x.windows, images.channels});
}

Status PooledShape(InferenceContext* c, const ImageAttrs& attrs, ShapeHandle* images, ShapeHandle* pooled) {
  TF_RETURN_IF_ERROR(c->WithRank(*images, 4, images));
  DimensionHandle sides[2];
  for (int side = 0; side < 2; ++side) {
    TF_RETURN_IF_ERROR(
        WindowsDim(c, attrs, side, c->Dim(*images, side + 1), c->MakeDim(attrs.ksize[side]), &sides[side]));
  }
  *pooled = c->MakeShape({c->Dim(*images, 0), sides[0], sides[1], c->Dim(*images, 3)});
  return Status::OK();
}

}  // namespace math_ops

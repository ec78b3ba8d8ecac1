// opsrun_compat/shape_from_format.h: shapes of images and filters in a TensorFormat, from their parts or converted from
// another format.
//
// Sizes of packed dimensions must be multiples of 4; otherwise the functions with a Status return INVALID_ARGUMENT, and
// the others fail the running call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/array_slice.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"
#include "opsrun_compat/tensor_format.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

typedef std::vector<int64_t> Sizes;

// Moves the last factor of sizes[i], kPacked, to the end.
inline Status Pack(Sizes* sizes, int i) {
  int64_t& size = (*sizes)[static_cast<size_t>(i)];
  if (size % kPacked != 0) return Invalid({"A packed dimension must be a multiple of ", kPacked, ", but is ", size});
  size /= kPacked;
  sizes->back() = kPacked;
  return Status();
}

// The spatial sizes of a shape in the format.
inline Sizes SpaceOf(const TensorShape& shape, TensorFormat format) {
  Sizes space;
  for (int i = 0; i < GetTensorSpatialDims(shape.dims(), format); ++i) {
    space.push_back(shape.dim_size(GetTensorSpatialDimIndex(shape.dims(), format, i)));
  }
  if (format == FORMAT_NHWC_VECT_W && !space.empty()) space.back() *= kPacked;
  return space;
}
inline Sizes SpaceOf(const TensorShape& shape, FilterTensorFormat format) {
  Sizes space;
  for (int i = 0; i < GetFilterTensorSpatialDims(shape.dims(), format); ++i) {
    space.push_back(shape.dim_size(GetFilterTensorSpatialDimIndex(shape.dims(), format, i)));
  }
  return space;
}

inline Status FilterSizes(FilterTensorFormat format, gtl::ArraySlice<int64_t> space, int64_t in, int64_t out,
                          Sizes* sizes) {
  const int rank = GetFilterTensorDimsFromSpatialDims(static_cast<int>(space.size()), format);
  sizes->resize(static_cast<size_t>(rank));
  const auto set = [sizes](int i, int64_t size) { (*sizes)[static_cast<size_t>(i)] = size; };
  for (size_t i = 0; i < space.size(); ++i) {
    set(GetFilterTensorSpatialDimIndex(rank, format, static_cast<int>(i)), space[i]);
  }
  set(GetFilterTensorOutputChannelsDimIndex(rank, format), out);
  set(GetFilterTensorInputChannelsDimIndex(rank, format), in);
  return format == FORMAT_OIHW_VECT_I ? Pack(sizes, GetFilterTensorInputChannelsDimIndex(rank, format)) : Status();
}

// For functions that return a shape: fails the running call unless the status is OK.
inline void Require(const Status& status) {
  if (!status.ok()) Fail(status);
}

}  // namespace internal

inline ReturnedStatus ShapeFromFormatWithStatus(TensorFormat format, int64 n, gtl::ArraySlice<int64_t> space, int64 c,
                                                TensorShape* shape) {
  const int rank = GetTensorDimsFromSpatialDims(static_cast<int>(space.size()), format);
  internal::Sizes sizes(static_cast<size_t>(rank));
  const auto set = [&sizes](int i, int64_t size) { sizes[static_cast<size_t>(i)] = size; };
  set(GetTensorBatchDimIndex(rank, format), n);
  set(GetTensorFeatureDimIndex(rank, format), c);
  for (size_t i = 0; i < space.size(); ++i) {
    set(GetTensorSpatialDimIndex(rank, format, static_cast<int>(i)), space[i]);
  }
  if (format == FORMAT_NCHW_VECT_C) TF_RETURN_IF_ERROR(internal::Pack(&sizes, 1));
  if (format == FORMAT_NHWC_VECT_W) TF_RETURN_IF_ERROR(internal::Pack(&sizes, static_cast<int>(space.size())));
  return TensorShapeUtils::MakeShape(sizes, shape);
}
inline ReturnedStatus ShapeFromFormatWithStatus(TensorFormat format, int64 n, int64 h, int64 w, int64 c,
                                                TensorShape* shape) {
  return ShapeFromFormatWithStatus(format, n, internal::Sizes{h, w}, c, shape);
}
// The shape in another format.
inline ReturnedStatus ShapeFromFormatWithStatus(TensorFormat to, const TensorShape& shape, TensorFormat from,
                                                TensorShape* out) {
  const int64 packed = from == FORMAT_NCHW_VECT_C ? internal::kPacked : 1;
  if (from != to) {
    return ShapeFromFormatWithStatus(to, GetTensorDim(shape, from, 'N'), internal::SpaceOf(shape, from),
                                     GetTensorDim(shape, from, 'C') * packed, out);
  }
  *out = shape;
  return Status();
}

inline TensorShape ShapeFromFormat(TensorFormat format, int64 n, gtl::ArraySlice<int64_t> space, int64 c) {
  TensorShape shape;
  internal::Require(ShapeFromFormatWithStatus(format, n, space, c, &shape));
  return shape;
}
inline TensorShape ShapeFromFormat(TensorFormat format, int64 n, int64 h, int64 w, int64 c) {
  return ShapeFromFormat(format, n, internal::Sizes{h, w}, c);
}
inline TensorShape ShapeFromFormat(TensorFormat to, const TensorShape& shape, TensorFormat from) {
  TensorShape out;
  internal::Require(ShapeFromFormatWithStatus(to, shape, from, &out));
  return out;
}

inline TensorShape ShapeFromFilterTensorFormat(FilterTensorFormat format, gtl::ArraySlice<int64_t> space, int64 in,
                                               int64 out) {
  internal::Sizes sizes;
  internal::Require(internal::FilterSizes(format, space, in, out, &sizes));
  return TensorShape(sizes);
}
inline TensorShape ShapeFromFilterTensorFormat(FilterTensorFormat format, int64 h, int64 w, int64 in, int64 out) {
  return ShapeFromFilterTensorFormat(format, internal::Sizes{h, w}, in, out);
}
inline TensorShape ShapeFromFilterFormat(FilterTensorFormat to, const TensorShape& shape, FilterTensorFormat from) {
  if (from == to) return shape;
  const int64 packed = from == FORMAT_OIHW_VECT_I ? internal::kPacked : 1;
  return ShapeFromFilterTensorFormat(to, internal::SpaceOf(shape, from), GetFilterDim(shape, from, 'I') * packed,
                                     GetFilterDim(shape, from, 'O'));
}

}  // namespace OPSRUN_HIDDEN

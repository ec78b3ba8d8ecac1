// opsrun_compat/shape_from_format.h: shapes of images and filters in a TensorFormat, from their parts or converted from
// another format.
//
// Sizes of packed dimensions must be multiples of 4; otherwise the functions with a Status return INVALID_ARGUMENT, and
// the others fail the running call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/array_slice.h"
#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"
#include "opsrun_compat/basics.h"
#include "opsrun_compat/tensor_format.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

typedef std::vector<int64_t> Sizes;

// The dimension of which packed formats split a factor.
inline int SplitDim(int spatial, TensorFormat format) {
  return IndexOf(spatial, format, format == FORMAT_NCHW_VECT_C ? 'C' : 'W');
}
inline int SplitDim(int spatial, FilterTensorFormat format) {
  return IndexOf(spatial, format, 'I');
}

// The sizes of space of a shape in the format.
template <typename Format>
Sizes SpaceOf(const TensorShape& shape, Format format) {
  const int spatial = SpatialDims(shape.dims(), format), first = IndexIn(shape.dims(), format, 'S');
  Sizes space;
  for (int i = 0; i < spatial; ++i) space.push_back(shape.dim_size(first + i));
  if (spatial > 0 && IsPacked(format) && SplitDim(spatial, format) == first + spatial - 1) space.back() *= kPacked;
  return space;
}

// Moves the last factor of a dimension to the end if the format is packed.
template <typename Format>
Status Pack(int spatial, Format format, Sizes* sizes) {
  if (!IsPacked(format)) return Status();
  int64_t& size = (*sizes)[static_cast<size_t>(SplitDim(spatial, format))];
  if (size % kPacked != 0) return Invalid({"A packed dimension must be a multiple of ", kPacked, ", but is ", size});
  size /= kPacked;
  return Status();
}

}  // namespace internal

inline ReturnedStatus ShapeFromFormatWithStatus(TensorFormat format, int64_t n, gtl::ArraySlice<int64_t> space,
                                                int64_t c, TensorShape* shape) {
  internal::Sizes sizes = internal::InOrder(format, space, 'N', n, 'C', c, internal::kPacked);
  TF_RETURN_IF_ERROR(internal::Pack(static_cast<int>(space.size()), format, &sizes));
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

inline TensorShape ShapeFromFormat(TensorFormat format, int64_t n, gtl::ArraySlice<int64_t> space, int64_t c) {
  TensorShape shape;
  internal::FailUnlessOk(ShapeFromFormatWithStatus(format, n, space, c, &shape));
  return shape;
}
inline TensorShape ShapeFromFormat(TensorFormat format, int64 n, int64 h, int64 w, int64 c) {
  return ShapeFromFormat(format, n, internal::Sizes{h, w}, c);
}
inline TensorShape ShapeFromFormat(TensorFormat to, const TensorShape& shape, TensorFormat from) {
  TensorShape out;
  internal::FailUnlessOk(ShapeFromFormatWithStatus(to, shape, from, &out));
  return out;
}

inline TensorShape ShapeFromFilterTensorFormat(FilterTensorFormat format, gtl::ArraySlice<int64_t> space, int64_t in,
                                               int64_t out) {
  internal::Sizes sizes = internal::InOrder(format, space, 'I', in, 'O', out, internal::kPacked);
  internal::FailUnlessOk(internal::Pack(static_cast<int>(space.size()), format, &sizes));
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

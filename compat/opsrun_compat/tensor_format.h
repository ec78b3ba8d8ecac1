// opsrun_compat/tensor_format.h: TensorFormat and FilterTensorFormat: the order of the dimensions of images and
// filters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opsrun/array_slice.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/internal/failure.h"
#include "opsrun/tensor.h"
#include "opsrun/tensor_shape.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

enum TensorFormat {
  FORMAT_NHWC = 0,
  FORMAT_NCHW = 1,
  FORMAT_NCHW_VECT_C = 2,
  FORMAT_NHWC_VECT_W = 3,
  FORMAT_HWNC = 4,
  FORMAT_HWCN = 5
};

inline std::string ToString(TensorFormat format) {
  static constexpr const char* kNames[] = {"NHWC", "NCHW", "NCHW_VECT_C", "NHWC_VECT_W", "HWNC", "HWCN"};
  return kNames[format];
}
// Also accepts NDHWC and NCDHW, for three spatial dimensions. False: the format is unknown; *format is unchanged.
inline bool FormatFromString(std::string_view text, TensorFormat* format) {
  if (text == "NDHWC") text = "NHWC";
  if (text == "NCDHW") text = "NCHW";
  for (const TensorFormat known :
       {FORMAT_NHWC, FORMAT_NCHW, FORMAT_NCHW_VECT_C, FORMAT_NHWC_VECT_W, FORMAT_HWNC, FORMAT_HWCN}) {
    if (text != ToString(known)) continue;
    *format = known;
    return true;
  }
  return false;
}

// The attrs, for REGISTER_OP.
inline std::string GetConvnetDataFormatAttrString() {
  return "data_format: { 'NHWC', 'NCHW' } = 'NHWC' ";
}
inline std::string GetConvnet3dDataFormatAttrString() {
  return "data_format: { 'NDHWC', 'NCDHW' } = 'NDHWC' ";
}
inline std::string GetConvnetDataFormat2D3DAttrString() {
  return "data_format: { 'NHWC', 'NCHW', 'NDHWC', 'NCDHW' } = 'NHWC' ";
}

namespace internal {

// NCHW_VECT_C and NHWC_VECT_W split a dimension: its last factor, kPacked, is the last dimension of the tensor.
constexpr int64_t kPacked = 4;

inline bool IsPacked(TensorFormat format) {
  return format == FORMAT_NCHW_VECT_C || format == FORMAT_NHWC_VECT_W;
}
inline int FirstSpatialDim(TensorFormat format) {
  if (format == FORMAT_NCHW || format == FORMAT_NCHW_VECT_C) return 2;
  return format == FORMAT_HWNC || format == FORMAT_HWCN ? 0 : 1;
}
[[noreturn]] OPSRUN_COLD inline void FailDimension(const std::string& format, char dimension) {
  Fail(ErrorOf(error::INTERNAL, {"Format ", format, " has no dimension '", std::string(1, dimension), "'"}));
}
// The index of H, W, 0, 1 or 2 among the spatial dimensions; -1 for other letters.
inline int SpatialPosition(int spatial, char dimension) {
  if (dimension >= '0' && dimension <= '2') return dimension - '0';
  return dimension == 'H' ? spatial - 2 : dimension == 'W' ? spatial - 1 : -1;
}
template <typename T>
const T& ElementAt(gtl::ArraySlice<T> values, int i) {
  if (i >= 0 && static_cast<size_t>(i) < values.size()) return values[static_cast<size_t>(i)];
  Fail(ErrorOf(error::INTERNAL, {"A list of ", values.size(), " numbers has none for dimension ", i}));
}

}  // namespace internal

inline int GetTensorSpatialDims(int rank, TensorFormat format) {
  return rank - (internal::IsPacked(format) ? 3 : 2);
}
inline int GetTensorDimsFromSpatialDims(int spatial, TensorFormat format) {
  return spatial + (internal::IsPacked(format) ? 3 : 2);
}
inline int GetTensorBatchDimIndex(int rank, TensorFormat format) {
  return format == FORMAT_HWNC ? rank - 2 : format == FORMAT_HWCN ? rank - 1 : 0;
}
inline int GetTensorFeatureDimIndex(int rank, TensorFormat format) {
  if (format == FORMAT_NCHW || format == FORMAT_NCHW_VECT_C) return 1;
  return rank - (format == FORMAT_NHWC_VECT_W || format == FORMAT_HWCN ? 2 : 1);
}
// The packed dimension of NCHW_VECT_C and of NHWC_VECT_W; for other formats, the last dimension.
inline int GetTensorInnerFeatureDimIndex(int rank, TensorFormat /*format*/) {
  return rank - 1;
}
inline int GetTensorInnerWidthDimIndex(int rank, TensorFormat /*format*/) {
  return rank - 1;
}
inline int GetTensorSpatialDimIndex(int /*rank*/, TensorFormat format, int i) {
  return internal::FirstSpatialDim(format) + i;
}
// The index of N, C, H, W, or of a spatial dimension given by its digit, for that many spatial dimensions. Fails the
// running call for other letters.
template <int kSpatialDims>
int GetTensorDimIndex(TensorFormat format, char dimension) {
  const int rank = GetTensorDimsFromSpatialDims(kSpatialDims, format);
  if (dimension == 'N') return GetTensorBatchDimIndex(rank, format);
  if (dimension == 'C') return GetTensorFeatureDimIndex(rank, format);
  const int position = internal::SpatialPosition(kSpatialDims, dimension);
  if (position < 0) internal::FailDimension(ToString(format), dimension);
  return internal::FirstSpatialDim(format) + position;
}
// For two spatial dimensions, or three if the rank implies it.
inline int GetTensorDimIndex(TensorFormat format, char dimension) {
  return GetTensorDimIndex<2>(format, dimension);
}
inline int GetTensorDimIndex(TensorFormat format, char dimension, int rank) {
  return GetTensorSpatialDims(rank, format) == 3 ? GetTensorDimIndex<3>(format, dimension)
                                                 : GetTensorDimIndex<2>(format, dimension);
}

// From an array with a number per dimension, the one of a dimension. Fails the running call if there is none.
template <typename T>
T GetTensorDim(gtl::ArraySlice<T> values, TensorFormat format, char dimension) {
  return internal::ElementAt(values, GetTensorDimIndex(format, dimension, static_cast<int>(values.size())));
}
template <typename T>
T GetTensorDim(const std::vector<T>& values, TensorFormat format, char dimension) {
  return GetTensorDim(gtl::ArraySlice<T>(values), format, dimension);
}
inline int64 GetTensorDim(const TensorShape& shape, TensorFormat format, char dimension) {
  return shape.dim_size(GetTensorDimIndex(format, dimension, shape.dims()));
}
inline int64 GetTensorDim(const Tensor& tensor, TensorFormat format, char dimension) {
  return GetTensorDim(tensor.shape(), format, dimension);
}
// The zeros before and after a dimension; explicit_paddings has both for each dimension.
template <typename Paddings, typename Int64>
void GetExplicitPaddingForDim(const std::vector<Paddings>& explicit_paddings, TensorFormat format, char dimension,
                              Int64* before, Int64* after) {
  const int i = GetTensorDimIndex(format, dimension, static_cast<int>(explicit_paddings.size() / 2));
  *before = internal::ElementAt<Paddings>(explicit_paddings, 2 * i);
  *after = internal::ElementAt<Paddings>(explicit_paddings, 2 * i + 1);
}

// FilterTensorFormat: the order of the dimensions of a convolution's filter.
//
// O is the output channels, I the input channels.

enum FilterTensorFormat { FORMAT_HWIO = 0, FORMAT_OIHW = 1, FORMAT_OHWI = 2, FORMAT_OIHW_VECT_I = 3 };

inline std::string ToString(FilterTensorFormat format) {
  static constexpr const char* kNames[] = {"HWIO", "OIHW", "OHWI", "OIHW_VECT_I"};
  return kNames[format];
}
// Also accepts DHWIO and OIDHW, for three spatial dimensions. As in TensorFlow, no text means OHWI.
inline bool FilterFormatFromString(std::string_view text, FilterTensorFormat* format) {
  if (text == "DHWIO") text = "HWIO";
  if (text == "OIDHW") text = "OIHW";
  for (const FilterTensorFormat known : {FORMAT_HWIO, FORMAT_OIHW, FORMAT_OIHW_VECT_I}) {
    if (text != ToString(known)) continue;
    *format = known;
    return true;
  }
  return false;
}

inline std::string GetConvnetFilterFormatAttrString() {
  return "filter_format: { 'HWIO', 'OIHW' } = 'HWIO' ";
}
inline std::string GetConvnet3dFilterFormatAttrString() {
  return "filter_format: { 'DHWIO', 'OIDHW' } = 'DHWIO' ";
}

inline int GetFilterTensorSpatialDims(int rank, FilterTensorFormat format) {
  return rank - (format == FORMAT_OIHW_VECT_I ? 3 : 2);
}
inline int GetFilterTensorDimsFromSpatialDims(int spatial, FilterTensorFormat format) {
  return spatial + (format == FORMAT_OIHW_VECT_I ? 3 : 2);
}
inline int GetFilterTensorSpatialDimIndex(int /*rank*/, FilterTensorFormat format, int i) {
  return i + (format == FORMAT_HWIO ? 0 : format == FORMAT_OHWI ? 1 : 2);
}
inline int GetFilterTensorInputChannelsDimIndex(int rank, FilterTensorFormat format) {
  return format == FORMAT_HWIO ? rank - 2 : format == FORMAT_OHWI ? rank - 1 : 1;
}
inline int GetFilterTensorOutputChannelsDimIndex(int rank, FilterTensorFormat format) {
  return format == FORMAT_HWIO ? rank - 1 : 0;
}
// The packed dimension of OIHW_VECT_I; for other formats, the last dimension.
inline int GetFilterTensorInnerInputChannelsDimIndex(int rank, FilterTensorFormat /*format*/) {
  return rank - 1;
}
// The index of O, I, H, W, or of a spatial dimension given by its digit, for that many spatial dimensions. Fails the
// running call for other letters.
template <int kSpatialDims>
int GetFilterDimIndex(FilterTensorFormat format, char dimension) {
  const int rank = GetFilterTensorDimsFromSpatialDims(kSpatialDims, format);
  if (dimension == 'O') return GetFilterTensorOutputChannelsDimIndex(rank, format);
  if (dimension == 'I') return GetFilterTensorInputChannelsDimIndex(rank, format);
  const int position = internal::SpatialPosition(kSpatialDims, dimension);
  if (position < 0) internal::FailDimension(ToString(format), dimension);
  return GetFilterTensorSpatialDimIndex(rank, format, position);
}

// From an array with a number per dimension of a filter, the one of a dimension.
template <typename T>
T GetFilterDim(gtl::ArraySlice<T> values, FilterTensorFormat format, char dimension) {
  const bool is_3d = GetFilterTensorSpatialDims(static_cast<int>(values.size()), format) == 3;
  return internal::ElementAt(values,
                             is_3d ? GetFilterDimIndex<3>(format, dimension) : GetFilterDimIndex<2>(format, dimension));
}
inline int64 GetFilterDim(const TensorShape& shape, FilterTensorFormat format, char dimension) {
  return GetFilterDim(gtl::ArraySlice<int64_t>(shape.data(), static_cast<size_t>(shape.dims())), format, dimension);
}
inline int64 GetFilterDim(const Tensor& tensor, FilterTensorFormat format, char dimension) {
  return GetFilterDim(tensor.shape(), format, dimension);
}

}  // namespace OPSRUN_HIDDEN

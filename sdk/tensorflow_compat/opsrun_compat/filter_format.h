// opsrun_compat/filter_format.h: FilterTensorFormat: which dimension of a convolution's filter is which.
//
// O are the channels of the output, I those of the input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/tensor_format.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

enum FilterTensorFormat { FORMAT_HWIO = 0, FORMAT_OIHW = 1, FORMAT_OHWI = 2, FORMAT_OIHW_VECT_I = 3 };

inline std::string ToString(FilterTensorFormat format) {
  static constexpr const char* kNames[] = {"HWIO", "OIHW", "OHWI", "OIHW_VECT_I"};
  return kNames[format];
}
// With three dimensions of space, DHWIO and OIDHW. As in TensorFlow, no text means OHWI.
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
// The packed dimension of OIHW_VECT_I; other formats have none, and get the last dimension.
inline int GetFilterTensorInnerInputChannelsDimIndex(int rank, FilterTensorFormat /*format*/) {
  return rank - 1;
}
// Where O, I, H, W, or the dimension of space with the digit, is in a filter with as many dimensions of space. Fails
// the running call for other letters.
template <int kSpatialDims>
int GetFilterDimIndex(FilterTensorFormat format, char dimension) {
  const int rank = GetFilterTensorDimsFromSpatialDims(kSpatialDims, format);
  if (dimension == 'O') return GetFilterTensorOutputChannelsDimIndex(rank, format);
  if (dimension == 'I') return GetFilterTensorInputChannelsDimIndex(rank, format);
  const int position = internal::SpatialPosition(kSpatialDims, dimension);
  if (position < 0) internal::FailDimension(ToString(format), dimension);
  return GetFilterTensorSpatialDimIndex(rank, format, position);
}

// Of numbers that belong to the dimensions of a filter, that of a dimension.
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

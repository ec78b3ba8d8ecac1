// opsrun_compat/tensor_format.h: TensorFormat: which dimension of an image tensor is which.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/internal/enter_tensorflow.h"
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
// With three dimensions of space, NDHWC and NCDHW.
inline bool FormatFromString(const std::string& text, TensorFormat* format) {
  for (const TensorFormat known :
       {FORMAT_NHWC, FORMAT_NCHW, FORMAT_NCHW_VECT_C, FORMAT_NHWC_VECT_W, FORMAT_HWNC, FORMAT_HWCN}) {
    *format = known;
    if (text == ToString(known)) return true;
  }
  *format = text == "NDHWC" ? FORMAT_NHWC : FORMAT_NCHW;
  return text == "NDHWC" || text == "NCDHW";
}

inline int GetTensorSpatialDims(int rank, TensorFormat format) {
  return format == FORMAT_NCHW_VECT_C || format == FORMAT_NHWC_VECT_W ? rank - 3 : rank - 2;
}
inline int GetTensorDimsFromSpatialDims(int spatial, TensorFormat format) {
  return format == FORMAT_NCHW_VECT_C || format == FORMAT_NHWC_VECT_W ? spatial + 3 : spatial + 2;
}
inline int GetTensorBatchDimIndex(int rank, TensorFormat format) {
  return format == FORMAT_HWNC ? rank - 2 : format == FORMAT_HWCN ? rank - 1 : 0;
}
inline int GetTensorFeatureDimIndex(int rank, TensorFormat format) {
  switch (format) {
    case FORMAT_NCHW:
    case FORMAT_NCHW_VECT_C:
      return 1;
    case FORMAT_HWCN:
      return rank - 2;
    default:
      return rank - (format == FORMAT_NHWC_VECT_W ? 2 : 1);
  }
}
// The packed dimension of NCHW_VECT_C and of NHWC_VECT_W; other formats have none, and get the last dimension.
inline int GetTensorInnerFeatureDimIndex(int rank, TensorFormat /*format*/) {
  return rank - 1;
}
inline int GetTensorInnerWidthDimIndex(int rank, TensorFormat /*format*/) {
  return rank - 1;
}
inline int GetTensorSpatialDimIndex(int /*rank*/, TensorFormat format, int i) {
  if (format == FORMAT_NCHW || format == FORMAT_NCHW_VECT_C) return i + 2;
  return format == FORMAT_HWNC || format == FORMAT_HWCN ? i : i + 1;
}
// What 'N', 'C', 'H', 'W', 'D' and '0', '1', '2' stand for.
inline int GetTensorDimIndex(TensorFormat format, char dimension, int rank = 4) {
  const int spatial = GetTensorSpatialDims(rank, format);
  switch (dimension) {
    case 'N':
      return GetTensorBatchDimIndex(rank, format);
    case 'C':
      return GetTensorFeatureDimIndex(rank, format);
    case 'D':
      return GetTensorSpatialDimIndex(rank, format, spatial - 3);
    case 'H':
      return GetTensorSpatialDimIndex(rank, format, spatial - 2);
    case 'W':
      return GetTensorSpatialDimIndex(rank, format, spatial - 1);
    default:
      return GetTensorSpatialDimIndex(rank, format, dimension - '0');
  }
}
template <int kSpatialDims>
int GetTensorDimIndex(TensorFormat format, char dimension) {
  return GetTensorDimIndex(format, dimension, GetTensorDimsFromSpatialDims(kSpatialDims, format));
}

inline int64 GetTensorDim(const TensorShape& shape, TensorFormat format, char dimension) {
  return shape.dim_size(GetTensorDimIndex(format, dimension, shape.dims()));
}
inline int64 GetTensorDim(const Tensor& tensor, TensorFormat format, char dimension) {
  return GetTensorDim(tensor.shape(), format, dimension);
}
template <typename T>
T GetTensorDim(const std::vector<T>& values, TensorFormat format, char dimension) {
  return values[static_cast<size_t>(GetTensorDimIndex(format, dimension, static_cast<int>(values.size())))];
}

inline TensorShape ShapeFromFormat(TensorFormat format, int64 n, int64 h, int64 w, int64 c) {
  TensorShape shape({0, 0, 0, 0});
  shape.set_dim(GetTensorDimIndex(format, 'N'), n);
  shape.set_dim(GetTensorDimIndex(format, 'H'), h);
  shape.set_dim(GetTensorDimIndex(format, 'W'), w);
  shape.set_dim(GetTensorDimIndex(format, 'C'), c);
  return shape;
}

}  // namespace OPSRUN_HIDDEN

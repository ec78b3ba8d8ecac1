// opsrun_compat/ops_util.h: small functions of TensorFlow's kernels: whether parts of a tensor are aligned, names of
// threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tensor_shape.h"
#include "opsrun_compat/eigen.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Every element of dimension 0 begins at an address that Eigen calls aligned, if the tensor does. False without
// dimensions or elements.
template <typename T>
bool IsInnerDimsSizeAligned(const TensorShape& shape) {
  if (shape.dims() == 0 || shape.num_elements() == 0) return false;
  const int64 bytes = shape.num_elements() / shape.dim_size(0) * static_cast<int64>(sizeof(T));
  return EIGEN_MAX_ALIGN_BYTES == 0 || bytes % EIGEN_MAX_ALIGN_BYTES == 0;
}
// The same of the elements from `start` on.
template <typename T>
bool IsDim0SliceAligned(const TensorShape& shape, int64 start, int64 end_or_size) {
  if (shape.dims() == 0) return false;
  const bool is_whole = start == 0 && end_or_size == shape.dim_size(0);
  return is_whole || IsInnerDimsSizeAligned<T>(shape);
}

// The text with '_' for what a thread's name cannot have.
inline std::string SanitizeThreadSuffix(std::string suffix) {
  for (char& c : suffix) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!is_word && c != '-') c = '_';
  }
  return suffix;
}

}  // namespace OPSRUN_HIDDEN

// opsrun_compat/tensor_slice.h: TensorSlice: a part of a tensor, as a start and a length for each dimension.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "opsrun/tensor_shape.h"
#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class TensorSlice {
 public:
  TensorSlice() = default;
  explicit TensorSlice(int dims) : extents_(static_cast<size_t>(dims), {0, kFullExtent}) {}
  // Pairs of a start and a length.
  explicit TensorSlice(std::initializer_list<std::pair<int64, int64>> extents) : extents_(extents) {}

  int dims() const { return static_cast<int>(extents_.size()); }
  int64 start(int d) const { return At(d).first; }
  int64 length(int d) const { return At(d).second; }
  int64 end(int d) const { return start(d) + length(d); }
  void set_start(int d, int64 start) { extents_[static_cast<size_t>(d)].first = start; }
  void set_length(int d, int64 length) { extents_[static_cast<size_t>(d)].second = length; }
  // Whether the slice has all of dimension d; its length is then -1.
  bool IsFullAt(int d) const { return length(d) == kFullExtent; }

  // The shape of this part of a tensor. INTERNAL: it has another rank, or is too small.
  ReturnedStatus SliceTensorShape(const TensorShape& shape, TensorShape* result) const {
    bool fits = shape.dims() == dims();
    TensorShape part;
    for (int d = 0; fits && d < dims(); ++d) {
      fits = IsFullAt(d) || end(d) <= shape.dim_size(d);
      if (fits) part.AddDim(IsFullAt(d) ? shape.dim_size(d) : length(d));
    }
    if (!fits) return errors::Internal("A tensor of shape ", shape, " does not have the slice");
    *result = part;
    return Status();
  }

 private:
  // The length that means all of a dimension, whatever its size.
  static constexpr int64 kFullExtent = -1;

  const std::pair<int64, int64>& At(int d) const { return extents_[static_cast<size_t>(d)]; }
  std::vector<std::pair<int64, int64>> extents_;
};

// "[1,0,2]" for element number `flat` of a tensor of that shape; empty for a scalar.
inline std::string SliceDebugString(const TensorShape& shape, int64 flat) {
  std::string text;
  for (int i = shape.dims() - 1; i >= 0; --i) {
    const int64 size = shape.dim_size(i), index = size > 0 ? flat % size : 0;
    text = (i == 0 ? "[" : ",") + std::to_string(i == 0 ? flat : index) + text;
    flat = size > 0 ? flat / size : 0;
  }
  return text.empty() ? text : text + "]";
}

inline std::ostream& operator<<(std::ostream& out, const TensorShape& shape) {
  return out << shape.DebugString();
}
inline std::ostream& operator<<(std::ostream& out, const PartialTensorShape& shape) {
  return out << shape.DebugString();
}

}  // namespace OPSRUN_HIDDEN

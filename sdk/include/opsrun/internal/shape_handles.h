// opsrun/internal/shape_handles.h: the handles of shapes and dimensions during shape inference.
//
// A handle is a pointer to an opsrun_shape or opsrun_dim of the host. It can be copied freely and is valid while the
// shape function runs. Equal pointers mean equal quantities: two unknown dimensions with the same handle are known to
// be equal. A default-constructed handle is unset; an unset shape acts as a shape of unknown rank, and an unset
// dimension as an unknown one.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

// TensorFlow's names of the types behind the handles.
typedef opsrun_shape Shape;
typedef opsrun_dim Dimension;

class InferenceContext;
class KnownElement;

class DimensionHandle {
 public:
  DimensionHandle() = default;
  bool SameHandle(DimensionHandle other) const { return dim_ == other.dim_; }
  bool IsSet() const { return dim_ != nullptr; }
  // The address of the dimension, whose first field is its value: a key for maps.
  size_t Handle() const { return reinterpret_cast<size_t>(dim_); }

 private:
  friend class InferenceContext;
  friend class KnownElement;
  explicit DimensionHandle(const opsrun_dim* dim) : dim_(dim) {}
  int64_t value() const { return dim_ == nullptr ? -1 : dim_->value; }

  const opsrun_dim* dim_ = nullptr;
};

class ShapeHandle {
 public:
  ShapeHandle() = default;
  bool SameHandle(ShapeHandle other) const { return shape_ == other.shape_; }
  bool IsSet() const { return shape_ != nullptr; }
  // The address of the shape, whose first field is its rank.
  size_t Handle() const { return reinterpret_cast<size_t>(shape_); }

 private:
  friend class InferenceContext;
  explicit ShapeHandle(const opsrun_shape* shape) : shape_(shape) {}
  int32_t rank() const { return shape_ == nullptr ? -1 : shape_->rank; }

  const opsrun_shape* shape_ = nullptr;
};

// A parameter that is a dimension or a number. The number -1 is a new unknown dimension.
struct DimensionOrConstant {
  DimensionOrConstant(DimensionHandle dim) : dim(dim), val(-1) {}
  DimensionOrConstant(int64_t val) : val(val) {}

  DimensionHandle dim;
  int64_t val;  // used only if dim is unset
};

// An integer in a tensor as far as it is known before the run: its value, the dimension whose size it is, or nothing.
class KnownElement {
 public:
  KnownElement() = default;
  KnownElement(int64_t value) : value_(value) {}
  KnownElement(DimensionHandle size) : size_(size) {
    if (size.value() >= 0) value_ = size.value();
  }

  bool known() const { return value_ != kNothing; }
  // Requires: known().
  int64_t value() const { return value_; }
  // Whether it is known to be a size, which is at least 0, even if its value is unknown.
  bool is_size() const { return size_.IsSet() || (known() && value_ >= 0); }
  // Unset unless the element was made from a dimension.
  DimensionHandle size() const { return size_; }

 private:
  friend class InferenceContext;
  // The smallest integer represents "unknown"; shapes never depend on it.
  static constexpr int64_t kNothing = INT64_MIN;

  int64_t value_ = kNothing;
  DimensionHandle size_;
};

// The shape and type behind a resource handle.
struct ShapeAndType {
  ShapeAndType() = default;
  ShapeAndType(ShapeHandle shape, DataType dtype) : shape(shape), dtype(dtype) {}

  ShapeHandle shape;
  DataType dtype = DT_INVALID;
};

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN

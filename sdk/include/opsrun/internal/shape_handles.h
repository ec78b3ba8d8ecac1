// opsrun/internal/shape_handles.h: the handles of shapes and dimensions during shape inference.
//
// A handle is a pointer to the host's opsrun_shape or opsrun_dim, copied freely, valid while the shape function runs.
// One pointer is one quantity: two unknown dimensions with one handle are known to be equal. A default-made handle is
// unset; a shape that is unset acts as one of unknown rank, a dimension as an unknown one.
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

class InferenceContext;

class DimensionHandle {
 public:
  DimensionHandle() = default;
  bool SameHandle(DimensionHandle other) const { return dim_ == other.dim_; }
  bool IsSet() const { return dim_ != nullptr; }
  // The address of the dimension, whose first field is its value: a key for maps.
  size_t Handle() const { return reinterpret_cast<size_t>(dim_); }

 private:
  friend class InferenceContext;
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

// An argument that is a dimension or a number; the number -1 is a fresh unknown dimension.
struct DimensionOrConstant {
  DimensionOrConstant(DimensionHandle dim) : dim(dim), val(-1) {}
  DimensionOrConstant(int64_t val) : val(val) {}

  DimensionHandle dim;
  int64_t val;  // counts only while dim is unset
};

// What a resource handle points to.
struct ShapeAndType {
  ShapeAndType() = default;
  ShapeAndType(ShapeHandle shape, DataType dtype) : shape(shape), dtype(dtype) {}

  ShapeHandle shape;
  DataType dtype = DT_INVALID;
};

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN

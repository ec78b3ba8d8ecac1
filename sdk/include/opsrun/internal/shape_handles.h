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

#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
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
namespace internal {

using shape_inference::DimensionHandle, shape_inference::DimensionOrConstant, shape_inference::InferenceContext,
    shape_inference::KnownElement, shape_inference::ShapeAndType, shape_inference::ShapeHandle;

// The methods of an InferenceContext that opsrun does not use.
class HandleShapes {
 public:
  typedef std::vector<ShapeAndType> ShapesAndTypes;

  // opsrun does not track shapes behind resource handles: getters return NULL, setters do nothing, and merging returns
  // false.
  const ShapesAndTypes* input_handle_shapes_and_types(int64_t i) const { return NoneAt(i, n_in_, "input"); }
  const ShapesAndTypes* output_handle_shapes_and_types(int64_t i) const { return NoneAt(i, n_out_, "output"); }
  void set_input_handle_shapes_and_types(int64_t i, const ShapesAndTypes&) { NoneAt(i, n_in_, "input"); }
  void set_output_handle_shapes_and_types(int64_t i, const ShapesAndTypes&) { NoneAt(i, n_out_, "output"); }
  bool MergeInputHandleShapesAndTypes(int64_t i, const ShapesAndTypes&) { return NoneAt(i, n_in_, "input"); }
  bool MergeOutputHandleShapesAndTypes(int64_t i, const ShapesAndTypes&) { return NoneAt(i, n_out_, "output"); }

  // Relaxing a shape is for loops, which graphs do not have: these fail the shape function with UNIMPLEMENTED.
  bool RelaxInput(int64_t, ShapeHandle) { FailRelax("RelaxInput"); }
  bool RelaxInputHandleShapesAndMergeTypes(int64_t, const ShapesAndTypes&) {
    FailRelax("RelaxInputHandleShapesAndMergeTypes");
  }
  bool RelaxOutputHandleShapesAndMergeTypes(int64_t, const ShapesAndTypes&) {
    FailRelax("RelaxOutputHandleShapesAndMergeTypes");
  }

 protected:
  explicit HandleShapes(const opsrun_shape_call& call) : n_in_(call.n_in), n_out_(call.n_out) {}

  OPSRUN_COLD static uint32_t CheckIndex(int64_t i, uint32_t count, const char* what) {
    if (i < 0 || i >= count) FailIndex(i, count, what);
    return static_cast<uint32_t>(i);
  }

 private:
  OPSRUN_COLD static const ShapesAndTypes* NoneAt(int64_t i, uint32_t count, const char* what) {
    CheckIndex(i, count, what);
    return nullptr;
  }
  // A graph cannot cause this, so the error code marks a bug in the plugin.
  [[noreturn]] OPSRUN_COLD static void FailIndex(int64_t i, uint32_t count, const char* what) {
    Fail(ErrorOf(error::INTERNAL, {"The shape function uses ", what, " ", i, " (counted from 0); the op has ", count,
                                   " ", what, count == 1 ? "" : "s"}));
  }
  [[noreturn]] OPSRUN_COLD static void FailRelax(const char* method) {
    Fail(ErrorOf(error::UNIMPLEMENTED, {method,
                                        " is for loops, which graphs do not have: leave the call out, or make "
                                        "what may change with UnknownDim() or UnknownShape()"}));
  }

  uint32_t n_in_, n_out_;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

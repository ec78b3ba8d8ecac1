// opsrun/partial_tensor_shape.h: PartialTensorShape and PartialTensorShapeUtils. tensor_shape.h includes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/internal/dims.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// A shape in which some sizes, or the rank itself, may be unknown.
class PartialTensorShape {
 public:
  PartialTensorShape() {}  // unknown rank
  PartialTensorShape(std::initializer_list<int64> sizes)
      : PartialTensorShape(sizes.begin(), static_cast<int>(sizes.size())) {}
  PartialTensorShape(const TensorShape& shape) : PartialTensorShape(shape.data(), shape.dims()) {}
  template <typename T>
  PartialTensorShape(const T* sizes, int rank) : known_rank_(true), sizes_(sizes, rank) {}

  template <typename Sizes, typename = internal::IfIntegers<Sizes>>
  PartialTensorShape(const Sizes& sizes) : PartialTensorShape(sizes.data(), static_cast<int>(sizes.size())) {}

  // INVALID_ARGUMENT: a size is below -1, or there are too many sizes.
  template <typename Sizes>
  static ReturnedStatus BuildPartialTensorShape(const Sizes& sizes, PartialTensorShape* shape) {
    return MakePartialShape(sizes.data(), static_cast<int>(sizes.size()), shape);
  }
  template <typename T>
  static ReturnedStatus MakePartialShape(const T* sizes, int rank, PartialTensorShape* shape) {
    if (rank > OPSRUN_MAX_RANK) {
      return errors::InvalidArgument("A shape of ", rank, " dimensions; at most ", OPSRUN_MAX_RANK);
    }
    for (int i = 0; i < rank; ++i) {
      if (sizes[i] < -1) return errors::InvalidArgument("Dimension ", i, " has size ", sizes[i], ", below -1");
    }
    *shape = PartialTensorShape(sizes, rank);
    return Status();
  }

  bool unknown_rank() const { return !known_rank_; }
  int dims() const { return known_rank_ ? sizes_.rank() : -1; }  // -1: unknown
  int64 dim_size(int i) const {                                  // -1: unknown
    if (i < 0 || i >= dims()) {
      internal::Fail(errors::InvalidArgument("Shape ", DebugString(), " has no dimension ", i));
    }
    return sizes_.data()[i];
  }

  bool IsFullyDefined() const {
    if (!known_rank_) return false;
    for (int i = 0; i < dims(); ++i) {
      if (sizes_.data()[i] < 0) return false;
    }
    return true;
  }
  int64 num_elements() const {  // -1: unknown
    TensorShape shape;
    return AsTensorShape(&shape) ? shape.num_elements() : -1;
  }
  std::vector<int64> dim_sizes() const { return std::vector<int64>(sizes_.data(), sizes_.data() + sizes_.rank()); }
  // False if the shape is not fully defined.
  bool AsTensorShape(TensorShape* shape) const {
    if (!IsFullyDefined()) return false;
    *shape = TensorShape(sizes_.data(), dims());
    return true;
  }
  // True if a tensor can have both shapes.
  bool IsCompatibleWith(const PartialTensorShape& other) const {
    if (!known_rank_ || !other.known_rank_) return true;
    if (dims() != other.dims()) return false;
    for (int i = 0; i < dims(); ++i) {
      const int64 a = sizes_.data()[i], b = other.sizes_.data()[i];
      if (a >= 0 && b >= 0 && a != b) return false;
    }
    return true;
  }
  bool IsIdenticalTo(const PartialTensorShape& other) const {
    return known_rank_ == other.known_rank_ && sizes_ == other.sizes_;
  }
  // A shape of unknown rank is unchanged.
  void AddDim(int64 size) {
    if (known_rank_) sizes_.Insert(dims(), size);
  }
  PartialTensorShape Concatenate(int64 size) const {
    PartialTensorShape result = *this;
    result.AddDim(size);
    return result;
  }
  PartialTensorShape Concatenate(const PartialTensorShape& shape) const {
    if (!shape.known_rank_) return shape;
    PartialTensorShape result = *this;
    for (int i = 0; i < shape.dims(); ++i) result.AddDim(shape.dim_size(i));
    return result;
  }
  // Combines what both shapes say about a tensor. INVALID_ARGUMENT: they are incompatible.
  ReturnedStatus MergeWith(const PartialTensorShape& shape, PartialTensorShape* result) const {
    if (!IsCompatibleWith(shape)) {
      return errors::InvalidArgument("No shape is both ", DebugString(), " and ", shape.DebugString());
    }
    PartialTensorShape merged = known_rank_ ? *this : shape;
    for (int i = 0; i < shape.dims(); ++i) {
      if (merged.sizes_.data()[i] < 0) merged.sizes_.data()[i] = shape.dim_size(i);
    }
    *result = std::move(merged);
    return Status();
  }
  std::string DebugString() const { return known_rank_ ? internal::DimsString(sizes_.data(), dims()) : "<unknown>"; }

 private:
  bool known_rank_ = false;
  internal::Dims sizes_;
};

struct PartialTensorShapeUtils {
  // "[[2,?], <unknown>]", for messages.
  template <typename Shapes>
  static std::string PartialShapeListString(const Shapes& shapes) {
    return TensorShapeUtils::ShapeListString(shapes);
  }
  template <typename Shapes>
  static bool AreIdentical(const Shapes& a, const Shapes& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& one, const auto& other) { return one.IsIdenticalTo(other); });
  }
  template <typename Shapes>
  static bool AreCompatible(const Shapes& a, const Shapes& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& one, const auto& other) { return one.IsCompatibleWith(other); });
  }
};

}  // namespace OPSRUN_HIDDEN

// opsrun/tensor_shape.h: TensorShape, PartialTensorShape and TensorShapeUtils.
//
// A TensorShape is a list of known sizes. It is a value type and does not use the heap up to rank 8. Invalid use (a
// negative size, an index outside the rank) fails the running call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "opsrun/internal/dims.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

struct TensorShapeDim {
  int64 size;
};

class TensorShape {
 public:
  TensorShape() = default;
  TensorShape(std::initializer_list<int64> sizes) : TensorShape(sizes.begin(), static_cast<int>(sizes.size())) {}
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  TensorShape(const std::vector<T>& sizes) : TensorShape(sizes.data(), static_cast<int>(sizes.size())) {}
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  TensorShape(const T* sizes, int rank) : dims_(sizes, rank) {
    for (int i = 0; i < rank; ++i) CheckSize(data()[i]);
  }

  // The shape of a tensor, which the host has already checked.
  explicit TensorShape(const opsrun_tensor& view) : dims_(view) {}

  int dims() const { return dims_.rank(); }
  int64 dim_size(int i) const { return dims_.data()[CheckIndex(i)]; }
  std::vector<int64> dim_sizes() const { return std::vector<int64>(data(), data() + dims()); }
  int64 num_elements() const { return NumElements(data(), dims()); }

  void AddDim(int64 size) { InsertDim(dims(), size); }
  void InsertDim(int i, int64 size) {
    CheckSize(size);
    dims_.Insert(i < 0 || i > dims() ? CheckIndex(i) : i, size);
  }
  void set_dim(int i, int64 size) {
    CheckSize(size);
    dims_.data()[CheckIndex(i)] = size;
  }
  void RemoveDim(int i) { dims_.Remove(CheckIndex(i), i + 1); }
  void RemoveLastDims(int n) { dims_.Remove(n == 0 ? dims() : CheckIndex(dims() - n), dims()); }
  void AppendShape(const TensorShape& shape) {
    const TensorShape tail = shape;
    for (int i = 0; i < tail.dims(); ++i) AddDim(tail.dim_size(i));
  }
  void Clear() { dims_ = {}; }

  bool IsSameSize(const TensorShape& other) const { return dims_ == other.dims_; }
  bool operator==(const TensorShape& other) const { return dims_ == other.dims_; }
  bool operator!=(const TensorShape& other) const { return !(dims_ == other.dims_); }

  // Writes the sizes into a message of TensorFlow's, TensorShapeProto.
  template <typename Proto>
  void AsProto(Proto* proto) const {
    proto->Clear();
    for (int i = 0; i < dims(); ++i) proto->add_dim()->set_size(data()[i]);
  }

  bool Equals(const int64_t* sizes, int rank) const { return dims_.Equals(sizes, rank); }

  std::string DebugString() const { return internal::DimsString(data(), dims()); }

  // `for (TensorShapeDim d : shape)` yields objects with a field `size`.
  class Iterator {
   public:
    explicit Iterator(const int64_t* at) : at_(at) {}
    TensorShapeDim operator*() const { return {*at_}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(Iterator other) const { return at_ == other.at_; }
    bool operator!=(Iterator other) const { return at_ != other.at_; }

   private:
    const int64_t* at_;
  };
  Iterator begin() const { return Iterator(data()); }
  Iterator end() const { return Iterator(data() + dims()); }

  const int64_t* data() const { return dims_.data(); }

  // The product of the sizes. Requires: no size is negative.
  static int64 NumElements(const int64_t* sizes, int rank) {
    uint64 n = 1;
    for (int i = 0; i < rank; ++i) n *= static_cast<uint64>(sizes[i]);
    return static_cast<int64>(n);
  }

 private:
  static void CheckSize(int64 size) {
    if (TF_PREDICT_FALSE(size < 0)) FailSize(size);
  }
  int CheckIndex(int i) const {
    if (TF_PREDICT_FALSE(i < 0 || i >= dims())) FailIndex(i);
    return i;
  }
  [[noreturn]] OPSRUN_COLD static void FailSize(int64 size) {
    internal::Fail(internal::Error(error::INVALID_ARGUMENT, "A dimension has size %lld, below 0", size));
  }
  [[noreturn]] OPSRUN_COLD void FailIndex(int i) const {
    internal::Fail(internal::Error(error::INVALID_ARGUMENT, "Shape %s has no dimension %d", DebugString().c_str(), i));
  }

  internal::Dims dims_;
};

// A shape in which some sizes, or the rank itself, may be unknown.
class PartialTensorShape {
 public:
  PartialTensorShape() = default;  // unknown rank
  PartialTensorShape(std::initializer_list<int64> sizes)
      : PartialTensorShape(sizes.begin(), static_cast<int>(sizes.size())) {}
  PartialTensorShape(const TensorShape& shape) : PartialTensorShape(shape.data(), shape.dims()) {}
  template <typename T>
  PartialTensorShape(const T* sizes, int rank) : known_rank_(true), sizes_(sizes, rank) {}

  // INVALID_ARGUMENT: a size is below -1, or there are too many.
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
  // False if the shape is not fully defined.
  bool AsTensorShape(TensorShape* shape) const {
    if (!IsFullyDefined()) return false;
    *shape = TensorShape(sizes_.data(), dims());
    return true;
  }
  // True if one tensor can have both shapes.
  bool IsCompatibleWith(const PartialTensorShape& other) const {
    if (!known_rank_ || !other.known_rank_) return true;
    if (dims() != other.dims()) return false;
    for (int i = 0; i < dims(); ++i) {
      const int64 a = sizes_.data()[i], b = other.sizes_.data()[i];
      if (a >= 0 && b >= 0 && a != b) return false;
    }
    return true;
  }
  std::string DebugString() const { return known_rank_ ? internal::DimsString(sizes_.data(), dims()) : "<unknown>"; }

 private:
  bool known_rank_ = false;
  internal::Dims sizes_;
};

struct TensorShapeUtils {
  static bool IsScalar(const TensorShape& shape) { return shape.dims() == 0; }
  static bool IsVector(const TensorShape& shape) { return shape.dims() == 1; }
  static bool IsVectorOrHigher(const TensorShape& shape) { return shape.dims() >= 1; }
  static bool IsMatrix(const TensorShape& shape) { return shape.dims() == 2; }
  static bool IsMatrixOrHigher(const TensorShape& shape) { return shape.dims() >= 2; }
  static bool IsSquareMatrix(const TensorShape& shape) {
    return shape.dims() == 2 && shape.dim_size(0) == shape.dim_size(1);
  }

  template <typename T>
  static ReturnedStatus MakeShape(const T* sizes, int64 rank, TensorShape* shape) {
    if (rank > OPSRUN_MAX_RANK)
      return errors::InvalidArgument("A shape of ", rank, " dimensions; at most ", OPSRUN_MAX_RANK);
    for (int64 i = 0; i < rank; ++i) {
      if (sizes[i] < 0) return errors::InvalidArgument("Dimension ", i, " has size ", sizes[i], ", below 0");
    }
    *shape = TensorShape(sizes, static_cast<int>(rank));
    return Status();
  }
  template <typename Sizes>
  static ReturnedStatus MakeShape(const Sizes& sizes, TensorShape* shape) {
    return MakeShape(sizes.data(), static_cast<int64>(sizes.size()), shape);
  }

  static bool StartsWith(const TensorShape& shape, const TensorShape& prefix) {
    return prefix.dims() <= shape.dims() && EqualSizes(shape.data(), prefix);
  }
  static bool EndsWith(const TensorShape& shape, const TensorShape& suffix) {
    return suffix.dims() <= shape.dims() && EqualSizes(shape.data() + shape.dims() - suffix.dims(), suffix);
  }

 private:
  static bool EqualSizes(const int64_t* sizes, const TensorShape& shape) {
    for (int i = 0; i < shape.dims(); ++i) {
      if (sizes[i] != shape.data()[i]) return false;
    }
    return true;
  }
};

}  // namespace OPSRUN_HIDDEN

// opsrun/tensor_shape.h: TensorShape and TensorShapeUtils, and partial_tensor_shape.h.
//
// A TensorShape is a list of known sizes. It is a value type and does not use the heap up to rank 8. Invalid use (a
// negative size, an index outside the rank) fails the running call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opsrun/internal/dims.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

// Names Eigen's class without Eigen's headers.
namespace Eigen {
template <typename Index, int N>
struct DSizes;
}  // namespace Eigen

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

namespace internal {

// Exists if `Container` has data() and size(), and its elements are integers but not characters.
template <typename Container, typename T = std::remove_pointer_t<decltype(std::declval<const Container&>().data())>,
          typename = decltype(std::declval<const Container&>().size())>
using IfIntegers = std::enable_if_t<std::is_integral_v<T> && (sizeof(T) >= sizeof(int32_t))>;

}  // namespace internal

struct TensorShapeDim {
  int64 size;
};

class __attribute__((may_alias)) TensorShape {
 public:
  TensorShape() {}
  TensorShape(std::initializer_list<int64> sizes) : TensorShape(sizes.begin(), static_cast<int>(sizes.size())) {}
  // From a std::vector, gtl::ArraySlice, absl::Span or another container of integers.
  template <typename Sizes, typename = internal::IfIntegers<Sizes>>
  TensorShape(const Sizes& sizes) : TensorShape(sizes.data(), static_cast<int>(sizes.size())) {}
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  TensorShape(const T* sizes, int rank) : dims_(sizes, rank) {
    for (int i = 0; i < rank; ++i) CheckSize(data()[i]);
  }

  // The shape of a tensor, which the host has already checked; the second form is a reference into the tensor.
  explicit TensorShape(const opsrun_tensor& view) : dims_(view) {}
  static const TensorShape& Of(const opsrun_tensor& view) {
    internal::Dims::CheckLayout();
    static_assert(sizeof(TensorShape) == sizeof(internal::Dims), "a TensorShape is its sizes");
    return *reinterpret_cast<const TensorShape*>(&view.rank);
  }

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
  // A negative bound counts from the end: -1 is the end. Nothing is removed if the range is empty.
  void RemoveDimRange(int begin, int end) { internal::FailUnlessOk(RemoveDimRangeWithStatus(begin, end)); }
  void AppendShape(const TensorShape& shape) {
    const TensorShape tail = shape;
    for (int i = 0; i < tail.dims(); ++i) AddDim(tail.dim_size(i));
  }
  void Clear() { dims_ = {}; }

  // The same, for untrusted sizes. INVALID_ARGUMENT: a size is below 0, or the shape would have more than 2^63 - 1
  // elements. INTERNAL: the dimension is out of range, or there are too many. On failure the shape is unchanged.
  ReturnedStatus AddDimWithStatus(int64 size) { return InsertDimWithStatus(dims(), size); }
  OPSRUN_COLD ReturnedStatus InsertDimWithStatus(int i, int64 size) {
    if (i < 0 || i > dims() || dims() == OPSRUN_MAX_RANK) {
      return errors::Internal("Shape ", DebugString(), " takes no dimension ", i);
    }
    TensorShape changed = *this;
    changed.dims_.Insert(i, size);
    return Take(&changed);
  }
  OPSRUN_COLD ReturnedStatus SetDimWithStatus(int i, int64 size) {
    if (i < 0 || i >= dims()) return errors::Internal("Shape ", DebugString(), " has no dimension ", i);
    TensorShape changed = *this;
    changed.dims_.data()[i] = size;
    return Take(&changed);
  }
  OPSRUN_COLD ReturnedStatus AppendShapeWithStatus(const TensorShape& shape) {
    TensorShape changed = *this;
    for (int i = 0; i < shape.dims(); ++i) TF_RETURN_IF_ERROR(changed.AddDimWithStatus(shape.data()[i]));
    return Take(&changed);
  }
  ReturnedStatus RemoveDimWithStatus(int64 i) { return RemoveChecked(i, i + 1); }
  ReturnedStatus RemoveLastDimsWithStatus(int64 n) { return RemoveChecked(dims() - n, dims()); }
  ReturnedStatus RemoveDimRangeWithStatus(int64 begin, int64 end) {
    return RemoveChecked(begin < 0 ? begin + dims() + 1 : begin, end < 0 ? end + dims() + 1 : end);
  }
  // A shape with these sizes; fails like AddDimWithStatus.
  template <typename Sizes, typename = internal::IfIntegers<Sizes>>
  static ReturnedStatus BuildTensorShape(const Sizes& sizes, TensorShape* shape) {
    TF_RETURN_IF_ERROR(CheckSizes(sizes.data(), static_cast<int64>(sizes.size())));
    *shape = TensorShape(sizes);
    return Status();
  }
  OPSRUN_COLD static ReturnedStatus BuildTensorShape(std::initializer_list<int64> sizes, TensorShape* shape) {
    return BuildTensorShape(std::vector<int64>(sizes), shape);
  }
  template <typename Sizes>
  static ReturnedStatus BuildTensorShapeBase(const Sizes& sizes, TensorShape* shape) {
    return BuildTensorShape(sizes, shape);
  }
  // Whether a shape that was changed by other means has at most 2^63 - 1 elements.
  bool IsValid() const { return CheckSizes(data(), dims()).ok(); }
  static constexpr int MaxDimensions() { return OPSRUN_MAX_RANK; }

  // The sizes for Eigen's expressions, padded with ones if N is larger than the rank. Requires Eigen's Tensor header.
  // INTERNAL: the rank is larger than N, or differs from N where it must be equal.
  template <int N, typename Index = ptrdiff_t>
  Eigen::DSizes<Index, N> AsEigenDSizes() const {
    Eigen::DSizes<Index, N> sizes;
    internal::FailUnlessOk(AsEigenDSizesWithStatus(&sizes));
    return sizes;
  }
  template <int N, typename Index = ptrdiff_t>
  Eigen::DSizes<Index, N> AsEigenDSizesWithPadding() const {
    Eigen::DSizes<Index, N> sizes;
    internal::FailUnlessOk(AsEigenDSizesWithPaddingWithStatus(&sizes));
    return sizes;
  }
  template <int N, typename Index = ptrdiff_t>
  ReturnedStatus AsEigenDSizesWithStatus(Eigen::DSizes<Index, N>* sizes) const {
    if (dims() != N) return errors::Internal("A shape of ", dims(), " dimensions is used as one of ", N);
    return AsEigenDSizesWithPaddingWithStatus(sizes);
  }
  template <int N, typename Index = ptrdiff_t>
  ReturnedStatus AsEigenDSizesWithPaddingWithStatus(Eigen::DSizes<Index, N>* sizes) const {
    if (dims() > N) return errors::Internal("A shape of ", dims(), " dimensions is used as one of ", N);
    for (int i = 0; i < N; ++i) (*sizes)[i] = i < dims() ? static_cast<Index>(data()[i]) : 1;
    return Status();
  }

  bool IsSameSize(const TensorShape& other) const { return dims_ == other.dims_; }
  bool operator==(const TensorShape& other) const { return dims_ == other.dims_; }
  bool operator!=(const TensorShape& other) const { return !(dims_ == other.dims_); }

  // Writes the sizes to a TensorShapeProto.
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

  // The product of the sizes. Requires: all sizes are at least 0.
  static int64 NumElements(const int64_t* sizes, int rank) {
    uint64 n = 1;
    for (int i = 0; i < rank; ++i) n *= static_cast<uint64>(sizes[i]);
    return static_cast<int64>(n);
  }
  // The failures of AddDimWithStatus.
  template <typename T>
  OPSRUN_COLD static ReturnedStatus CheckSizes(const T* sizes, int64 rank) {
    if (rank > OPSRUN_MAX_RANK) {
      return errors::Internal("A shape of ", rank, " dimensions; at most ", OPSRUN_MAX_RANK);
    }
    int64_t n = 1;
    for (int64 i = 0; i < rank; ++i) {
      const int64_t size = static_cast<int64_t>(sizes[i]);
      if (size < 0) return errors::InvalidArgument("Dimension ", i, " has size ", size, ", below 0");
      if (__builtin_mul_overflow(n, size, &n)) {
        return errors::InvalidArgument("The product of the sizes 0 to ", i, " of a shape is above 2^63 - 1");
      }
    }
    return Status();
  }

 private:
  static void CheckSize(int64 size) {
    if (TF_PREDICT_FALSE(size < 0)) FailSize(size);
  }
  OPSRUN_COLD ReturnedStatus RemoveChecked(int64 begin, int64 end) {
    if (begin < 0 || begin > dims() || end < 0 || end > dims()) {
      return errors::Internal("Shape ", DebugString(), " has no dimensions ", begin, " to ", end - 1);
    }
    if (begin < end) dims_.Remove(static_cast<int>(begin), static_cast<int>(end));
    return Status();
  }
  // Replaces this shape by `changed` if that is valid.
  ReturnedStatus Take(TensorShape* changed) {
    TF_RETURN_IF_ERROR(CheckSizes(changed->data(), changed->dims()));
    dims_ = std::move(changed->dims_);
    return Status();
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

struct TensorShapeUtils {
  static bool IsScalar(const TensorShape& shape) { return shape.dims() == 0; }
  static bool IsVector(const TensorShape& shape) { return shape.dims() == 1; }
  static bool IsVectorOrHigher(const TensorShape& shape) { return shape.dims() >= 1; }
  static bool IsMatrix(const TensorShape& shape) { return shape.dims() == 2; }
  static bool IsMatrixOrHigher(const TensorShape& shape) { return shape.dims() >= 2; }
  static bool IsSquareMatrix(const TensorShape& shape) {
    return shape.dims() == 2 && shape.dim_size(0) == shape.dim_size(1);
  }

  // Fails like TensorShape::AddDimWithStatus, but with INVALID_ARGUMENT for too many sizes.
  template <typename T>
  static ReturnedStatus MakeShape(const T* sizes, int64 rank, TensorShape* shape) {
    if (rank > OPSRUN_MAX_RANK) {
      return errors::InvalidArgument("A shape of ", rank, " dimensions; at most ", OPSRUN_MAX_RANK);
    }
    TF_RETURN_IF_ERROR(TensorShape::CheckSizes(sizes, rank));
    *shape = TensorShape(sizes, static_cast<int>(rank));
    return Status();
  }
  template <typename Sizes>
  static ReturnedStatus MakeShape(const Sizes& sizes, TensorShape* shape) {
    return MakeShape(sizes.data(), static_cast<int64>(sizes.size()), shape);
  }
  // The product of the sizes; fails in the same way.
  template <typename Sizes>
  static ReturnedStatus NumElements(const Sizes& sizes, int64* count) {
    TensorShape shape;
    TF_RETURN_IF_ERROR(MakeShape(sizes, &shape));
    *count = shape.num_elements();
    return Status();
  }

  static bool StartsWith(const TensorShape& shape, const TensorShape& prefix) {
    return prefix.dims() <= shape.dims() && EqualSizes(shape.data(), prefix);
  }
  static bool EndsWith(const TensorShape& shape, const TensorShape& suffix) {
    return suffix.dims() <= shape.dims() && EqualSizes(shape.data() + shape.dims() - suffix.dims(), suffix);
  }

  // "[[2,3], []]", for messages.
  template <typename Shapes>
  static std::string ShapeListString(const Shapes& shapes) {
    std::string text = "[";
    for (const auto& shape : shapes) text += (text.size() > 1 ? ", " : "") + shape.DebugString();
    return text + "]";
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

#include "opsrun/partial_tensor_shape.h"

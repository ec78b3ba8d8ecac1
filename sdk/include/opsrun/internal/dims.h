// opsrun/internal/dims.h: a list of sizes; up to eight are stored inline.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>
#include <utility>

#include "opsrun/namespace.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Its first members have the layout of the rank and the sizes of an opsrun_tensor, as which they can be seen: see
// TensorShape::Of. So nothing that is const may use the others.
class __attribute__((may_alias)) Dims {
 public:
  Dims() {}
  template <typename T>
  Dims(const T* sizes, int rank) {
    if (TF_PREDICT_FALSE(rank < 0 || rank > OPSRUN_MAX_RANK)) FailRank(rank);
    Resize(rank);
    for (int i = 0; i < rank; ++i) sizes_[i] = static_cast<int64_t>(sizes[i]);
  }
  // The sizes of a tensor whose rank the host has already checked.
  explicit Dims(const opsrun_tensor& view) { Copy(view.shape, view.rank); }
  Dims(const Dims& other) { Copy(other.sizes_, other.rank_); }
  Dims(Dims&& other) noexcept { Take(&other); }
  Dims& operator=(Dims other) noexcept {
    Free();
    Take(&other);
    return *this;
  }
  ~Dims() { Free(); }

  int rank() const { return rank_; }
  const int64_t* data() const { return sizes_; }
  int64_t* data() { return sizes_; }

  OPSRUN_COLD void Insert(int at, int64_t size) {
    if (rank_ == OPSRUN_MAX_RANK) FailRank(rank_ + 1);
    Dims grown;
    grown.Resize(rank_ + 1);
    for (int i = 0; i < at; ++i) grown.sizes_[i] = sizes_[i];
    grown.sizes_[at] = size;
    for (int i = at; i < rank_; ++i) grown.sizes_[i + 1] = sizes_[i];
    *this = std::move(grown);
  }
  OPSRUN_COLD void Remove(int begin, int end) {
    Dims shrunk;
    shrunk.Resize(rank_ - (end - begin));
    for (int i = 0; i < begin; ++i) shrunk.sizes_[i] = sizes_[i];
    for (int i = end; i < rank_; ++i) shrunk.sizes_[i - (end - begin)] = sizes_[i];
    *this = std::move(shrunk);
  }

  bool operator==(const Dims& other) const { return Equals(other.sizes_, other.rank_); }
  bool Equals(const int64_t* sizes, int rank) const {
    if (TF_PREDICT_FALSE(rank != rank_)) return false;
    for (int i = 0; i < rank; ++i) {
      if (TF_PREDICT_FALSE(sizes_[i] != sizes[i])) return false;
    }
    return true;
  }

  static constexpr void CheckLayout() {
    static_assert(sizeof(decltype(opsrun_tensor::rank)) == sizeof(rank_) &&
                      offsetof(opsrun_tensor, shape) - offsetof(opsrun_tensor, rank) ==
                          offsetof(Dims, sizes_) - offsetof(Dims, rank_) &&
                      offsetof(Dims, rank_) == 0,
                  "TensorShape::Of needs this order");
  }

 private:
  static constexpr int kInline = 8;

  [[noreturn]] OPSRUN_COLD static void FailRank(int rank) {
    Fail(Error(error::INVALID_ARGUMENT, "A shape has 0 to %d dimensions, not %d", OPSRUN_MAX_RANK, rank));
  }
  void Copy(const int64_t* sizes, int rank) {
    Resize(rank);
    for (int i = 0; i < rank; ++i) sizes_[i] = sizes[i];
  }
  void Resize(int rank) {
    rank_ = rank;
    if (TF_PREDICT_FALSE(rank > kInline)) MakeHeap();
  }
  OPSRUN_COLD void MakeHeap() { sizes_ = new int64_t[static_cast<size_t>(rank_)]; }
  void Take(Dims* other) noexcept {
    rank_ = std::exchange(other->rank_, 0);
    if (TF_PREDICT_FALSE(rank_ > kInline)) {
      sizes_ = std::exchange(other->sizes_, other->inline_);
    } else {
      // Copies only `rank_` sizes, because the rest of the array was never initialized.
      sizes_ = inline_;
      for (int i = 0; i < rank_; ++i) inline_[i] = other->inline_[i];
    }
  }
  void Free() {
    if (TF_PREDICT_FALSE(rank_ > kInline)) delete[] sizes_;
  }

  int32_t rank_ = 0;
  int64_t* sizes_ = inline_;
  int64_t inline_[kInline];
};

// "[2,3]"; -1 is printed as "?".
OPSRUN_COLD inline std::string DimsString(const int64_t* sizes, int rank) {
  std::string text = "[";
  for (int i = 0; i < rank; ++i) {
    if (i > 0) text += ',';
    text += sizes[i] < 0 ? "?" : Format("%lld", static_cast<long long>(sizes[i]));
  }
  return text + "]";
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

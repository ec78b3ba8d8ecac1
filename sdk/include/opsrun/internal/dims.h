// opsrun/internal/dims.h: a list of sizes, which is stored without the heap up to eight of them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include <string>
#include <utility>

#include "opsrun/internal/failure.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

class Dims {
 public:
  Dims() = default;
  template <typename T>
  Dims(const T* sizes, int rank) {
    int64_t* to = Resize(rank);
    for (int i = 0; i < rank; ++i) to[i] = static_cast<int64_t>(sizes[i]);
  }
  // The sizes of a tensor whose rank the host has already checked.
  explicit Dims(const opsrun_tensor& view) : Dims(Checked{}, view.shape, view.rank) {}
  Dims(const Dims& other) : Dims(Checked{}, other.data(), other.rank_) {}
  Dims(Dims&& other) noexcept { Take(&other); }
  Dims& operator=(Dims other) noexcept {
    Free();
    Take(&other);
    return *this;
  }
  ~Dims() { Free(); }

  int rank() const { return rank_; }
  const int64_t* data() const { return TF_PREDICT_TRUE(rank_ <= kInline) ? inline_ : heap_; }
  int64_t* data() { return TF_PREDICT_TRUE(rank_ <= kInline) ? inline_ : heap_; }

  OPSRUN_COLD void Insert(int at, int64_t size) {
    Dims grown;
    int64_t* to = grown.Resize(rank_ + 1);
    for (int i = 0; i < at; ++i) to[i] = data()[i];
    to[at] = size;
    for (int i = at; i < rank_; ++i) to[i + 1] = data()[i];
    *this = std::move(grown);
  }
  OPSRUN_COLD void Remove(int begin, int end) {
    Dims shrunk;
    int64_t* to = shrunk.Resize(rank_ - (end - begin));
    for (int i = 0; i < begin; ++i) to[i] = data()[i];
    for (int i = end; i < rank_; ++i) to[i - (end - begin)] = data()[i];
    *this = std::move(shrunk);
  }

  bool operator==(const Dims& other) const { return Equals(other.data(), other.rank_); }
  bool Equals(const int64_t* sizes, int rank) const {
    if (TF_PREDICT_FALSE(rank != rank_)) return false;
    const int64_t* mine = data();
    for (int i = 0; i < rank; ++i) {
      if (TF_PREDICT_FALSE(mine[i] != sizes[i])) return false;
    }
    return true;
  }

 private:
  static constexpr int kInline = 8;
  struct Checked {};

  Dims(Checked, const int64_t* sizes, int rank) : rank_(rank) {
    if (TF_PREDICT_FALSE(rank > kInline)) MakeHeap();
    int64_t* to = data();
    for (int i = 0; i < rank; ++i) to[i] = sizes[i];
  }
  OPSRUN_COLD void MakeHeap() { heap_ = new int64_t[static_cast<size_t>(rank_)]; }

  [[noreturn]] OPSRUN_COLD static void FailRank(int rank) {
    Fail(Error(error::INVALID_ARGUMENT, "A shape has 0 to %d dimensions, not %d", OPSRUN_MAX_RANK, rank));
  }
  int64_t* Resize(int rank) {
    if (TF_PREDICT_FALSE(rank < 0 || rank > OPSRUN_MAX_RANK)) FailRank(rank);
    rank_ = rank;
    if (TF_PREDICT_FALSE(rank > kInline)) MakeHeap();
    return data();
  }
  void Take(Dims* other) noexcept {
    rank_ = std::exchange(other->rank_, 0);
    if (TF_PREDICT_FALSE(rank_ > kInline)) {
      heap_ = other->heap_;
    } else {
      // Copies only `rank_` sizes, because the rest of the array was never initialized.
      for (int i = 0; i < rank_; ++i) inline_[i] = other->inline_[i];
    }
  }
  void Free() {
    if (TF_PREDICT_FALSE(rank_ > kInline)) delete[] heap_;
  }

  int rank_ = 0;
  union {
    int64_t inline_[kInline];
    int64_t* heap_;
  };
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

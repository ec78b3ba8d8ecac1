// opsrun_compat/top_n.h: gtl::TopN: the best of many values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace gtl {

// Keeps the `limit` best of the values that are pushed: a is better than b if is_better(a, b). The vectors that are
// returned belong to the caller. Not for use by several threads at a time.
template <typename T, typename IsBetter = std::greater<T>>
class TopN {
 public:
  explicit TopN(size_t limit, const IsBetter& is_better = IsBetter()) : limit_(limit), is_better_(is_better) {}

  size_t limit() const { return limit_; }
  size_t size() const { return heap_.size(); }
  bool empty() const { return heap_.empty(); }
  void reserve(size_t n) { heap_.reserve(std::min(n, limit_)); }

  // *dropped: the value that has no place any more, if there is one. It may be NULL.
  template <typename U>
  void push(U&& value, T* dropped = nullptr) {
    if (heap_.size() < limit_) {
      heap_.push_back(std::forward<U>(value));
      std::push_heap(heap_.begin(), heap_.end(), is_better_);
    } else if (limit_ > 0 && is_better_(value, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), is_better_);
      if (dropped != nullptr) *dropped = std::move(heap_.back());
      heap_.back() = std::forward<U>(value);
      std::push_heap(heap_.begin(), heap_.end(), is_better_);
    } else if (dropped != nullptr) {
      *dropped = std::forward<U>(value);
    }
  }
  // The worst value that is kept. Requires: there is one.
  const T& peek_bottom() const { return heap_.front(); }

  // The values, the best one first, or in any order. None is kept.
  std::vector<T>* Extract() {
    std::sort_heap(heap_.begin(), heap_.end(), is_better_);
    return ExtractUnsorted();
  }
  std::vector<T>* ExtractUnsorted() { return new std::vector<T>(std::exchange(heap_, {})); }
  // The same, which keeps them.
  std::vector<T>* ExtractNondestructive() const { return TopN(*this).Extract(); }
  void ExtractNondestructive(std::vector<T>* values) const {
    *values = heap_;
    std::sort_heap(values->begin(), values->end(), is_better_);
  }
  // The values in any order, where they are.
  typedef typename std::vector<T>::const_iterator UnsortedIterator;
  UnsortedIterator unsorted_begin() const { return heap_.begin(); }
  UnsortedIterator unsorted_end() const { return heap_.end(); }
  void Reset() { heap_.clear(); }

 private:
  std::vector<T> heap_;  // the worst one is in front
  size_t limit_;
  IsBetter is_better_;
};

}  // namespace gtl
}  // namespace OPSRUN_HIDDEN

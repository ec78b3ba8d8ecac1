// opsrun_compat/sparse_groups.h: sparse::GroupIterable: the entries of a sparse tensor with the same leading indices.
//
//   for (const sparse::Group& group : tensor.group({0})) Use(group.group()[0], group.values<float>());
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/tensor.h"
#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace sparse {

class Group;

class GroupIterable {
 public:
  GroupIterable(Tensor indices, Tensor values, int rank, std::vector<int64_t> dims)
      : indices_(std::move(indices)), values_(std::move(values)), rank_(rank), dims_(std::move(dims)) {}

  class IteratorStep {
   public:
    IteratorStep(const GroupIterable* all, int64_t first) : all_(all), first_(first), end_(all->EndOf(first)) {}
    Group operator*() const;
    IteratorStep& operator++() {
      first_ = end_;
      end_ = all_->EndOf(first_);
      return *this;
    }
    IteratorStep operator++(int) {
      IteratorStep before = *this;
      ++*this;
      return before;
    }
    bool operator==(const IteratorStep& other) const { return first_ == other.first_; }
    bool operator!=(const IteratorStep& other) const { return first_ != other.first_; }

   private:
    const GroupIterable* all_;
    int64_t first_, end_;
  };

  IteratorStep begin() const { return IteratorStep(this, 0); }
  IteratorStep end() const { return IteratorStep(this, entries()); }

 private:
  friend class Group;

  int64_t entries() const { return values_.NumElements(); }
  // The end of the group that starts with entry `first`.
  int64_t EndOf(int64_t first) const {
    const auto ix = indices_.matrix<int64_t>();
    int64_t end = first;
    const auto is_member = [&] {
      for (const int64_t axis : dims_) {
        if (ix(first, axis) != ix(end, axis)) return false;
      }
      return true;
    };
    while (end < entries() && is_member()) ++end;
    return end;
  }

  Tensor indices_, values_;
  int rank_;
  std::vector<int64_t> dims_;
};

// Consecutive entries. Valid as long as its GroupIterable.
class Group {
 public:
  Group(const GroupIterable* all, int64_t first, int64_t end) : all_(all), first_(first), end_(end) {}

  // The common indices of the entries: those in the dimensions of the group.
  std::vector<int64_t> group() const {
    std::vector<int64_t> common;
    for (size_t i = 0; i < all_->dims_.size(); ++i) common.push_back(group_at(i));
    return common;
  }
  int64_t group_at(size_t i) const { return all_->indices_.matrix<int64_t>()(first_, all_->dims_[i]); }
  // The indices of the entries, in all dimensions, and their values.
  TTypes<int64_t>::UnalignedConstMatrix indices() const {
    const int64_t* const all = all_->indices_.matrix<int64_t>().data();
    return TTypes<int64_t>::UnalignedConstMatrix(all + first_ * all_->rank_, end_ - first_, all_->rank_);
  }
  template <typename T>
  typename TTypes<T>::UnalignedVec values() const {
    return typename TTypes<T>::UnalignedVec(const_cast<T*>(all_->values_.vec<T>().data()) + first_, end_ - first_);
  }

 private:
  const GroupIterable* all_;
  int64_t first_, end_;
};

inline Group GroupIterable::IteratorStep::operator*() const {
  return Group(all_, first_, end_);
}

}  // namespace sparse
}  // namespace OPSRUN_HIDDEN

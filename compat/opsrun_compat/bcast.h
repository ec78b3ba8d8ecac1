// opsrun_compat/bcast.h: BCastList and BCast: how to broadcast shapes with Eigen's reshape and broadcast.
//
// The rules are NumPy's: sizes are aligned at the last dimension, and a size of 1 or a missing one matches any other. A
// size of -1 is unknown, and so are its products.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>

#include "opsrun/tensor_shape.h"
#include "opsrun_compat/gtl.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// For each of `count` elements of the output, the index in the input: input.reshape(reshape).broadcast(bcast).
inline void ComputeBatchIndices(int64_t count, const gtl::InlinedVector<int64_t, 4>& reshape,
                                const gtl::InlinedVector<int64_t, 4>& bcast, std::vector<int64_t>* indices) {
  indices->assign(1, 0);
  for (size_t d = 0; d < reshape.size(); ++d) {
    std::vector<int64_t> longer;
    for (const int64_t leading : *indices) {
      for (int64_t i = 0; i < reshape[d] * bcast[d]; ++i) longer.push_back(leading * reshape[d] + i % reshape[d]);
    }
    indices->swap(longer);
  }
  indices->resize(static_cast<size_t>(count));
}

// The broadcast of N shapes.
template <int N>
class BCastList {
 public:
  typedef gtl::InlinedVector<int64_t, 4> Vec;

  // With few_dims, adjacent dimensions that are broadcast alike are merged, and those that are 1 everywhere dropped.
  explicit BCastList(const Vec (&x)[N], bool few_dims = true, bool with_indices = false) {
    size_t rank = 0;
    for (const Vec& shape : x) {
      rank = std::max(rank, shape.size());
      is_needed_ = is_needed_ || shape != x[0];
    }
    Ones last;
    last.set();
    for (size_t i = 0; i < rank && valid_; ++i) AddDim(x, rank - 1 - i, i, few_dims, &last);
    if (result_.empty()) Append(false, Sizes(1), 1, Ones());
    for (Vec* sizes : {&output_, &result_}) std::reverse(sizes->begin(), sizes->end());
    for (int i = 0; i < N; ++i) {
      for (Vec* sizes : {&reshape_[i], &bcast_[i], &grad_[i]}) std::reverse(sizes->begin(), sizes->end());
    }
    for (int i = 0; valid_ && with_indices && is_needed_ && count_ > 0 && i < N; ++i) {
      ComputeBatchIndices(count_, reshape_[i], bcast_[i], &indices_[i]);
    }
  }
  BCastList(const BCastList&) = delete;
  BCastList& operator=(const BCastList&) = delete;

  // False: the shapes are incompatible, and the other results are meaningless.
  bool IsValid() const { return valid_; }
  // True if the shapes differ.
  bool IsBroadcastingRequired() const { return is_needed_; }

  // x[i].reshape(reshape(i)).broadcast(bcast(i)) has the shape result_shape(), which is reshaped to output_shape().
  const Vec& reshape(int i) const { return reshape_[i]; }
  const Vec& bcast(int i) const { return bcast_[i]; }
  const Vec& result_shape() const { return result_; }
  const Vec& output_shape() const { return output_; }
  // The dimensions of the output over which a gradient is summed to get that of x[i].
  const Vec& grad_reduce_idx(int i) const { return grad_[i]; }
  // The number of elements of the output, and for each of them the element of x[i].
  int64_t output_batch_size() const { return count_; }
  const std::vector<int64_t>& batch_indices(int i) const { return indices_[i]; }

 private:
  typedef std::bitset<N> Ones;  // bit i: the dimension of shape i is 1
  struct Sizes : std::array<int64_t, N> {
    explicit Sizes(int64_t size) { this->fill(size); }
  };

  static int64_t Product(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return 0;
    return a < 0 || b < 0 ? -1 : a * b;
  }

  // Adds dimension `axis` of the output, which has `from_end` dimensions after it.
  void AddDim(const Vec (&x)[N], size_t axis, size_t from_end, bool few_dims, Ones* last) {
    Sizes sizes(1);
    Ones ones;
    int64_t size = 1;
    for (int i = 0; i < N; ++i) {
      if (from_end < x[i].size()) sizes[static_cast<size_t>(i)] = x[i][x[i].size() - 1 - from_end];
      const int64_t own = sizes[static_cast<size_t>(i)];
      ones[static_cast<size_t>(i)] = own == 1;
      valid_ = valid_ && (own == 1 || size == 1 || own == size);
      if (own != 1) size = own;
    }
    output_.push_back(size);
    count_ = Product(count_, size);
    // If all shapes are equal, gradients are not summed, unless every dimension is kept (not few_dims).
    const bool is_summed = size != 1 || is_needed_ || !few_dims;
    for (int i = 0; i < N; ++i) {
      if (ones[static_cast<size_t>(i)] && is_summed) grad_[i].push_back(static_cast<int64_t>(axis));
    }
    if (few_dims && ones.all()) return;
    Append(few_dims && ones == *last, sizes, size, ones);
    *last = ones;
  }

  void Append(bool to_last, const Sizes& sizes, int64_t size, const Ones& ones) {
    const auto append = [to_last](Vec* to, int64_t factor) {
      if (to_last) {
        to->back() = Product(to->back(), factor);
      } else {
        to->push_back(factor);
      }
    };
    append(&result_, size);
    for (int i = 0; i < N; ++i) {
      append(&reshape_[i], sizes[static_cast<size_t>(i)]);
      append(&bcast_[i], ones[static_cast<size_t>(i)] ? size : 1);
    }
  }

  bool valid_ = true, is_needed_ = false;
  int64_t count_ = 1;
  Vec reshape_[N], bcast_[N], grad_[N], result_, output_;
  std::vector<int64_t> indices_[N];
};

// The broadcast of two shapes, x and y.
class BCast : public BCastList<2> {
 public:
  BCast(const Vec& x, const Vec& y, bool few_dims = true, bool with_indices = false)
      : BCastList({x, y}, few_dims, with_indices) {}

  const Vec& x_reshape() const { return reshape(0); }
  const Vec& x_bcast() const { return bcast(0); }
  const Vec& y_reshape() const { return reshape(1); }
  const Vec& y_bcast() const { return bcast(1); }
  const Vec& grad_x_reduce_idx() const { return grad_reduce_idx(0); }
  const Vec& grad_y_reduce_idx() const { return grad_reduce_idx(1); }
  const std::vector<int64_t>& x_batch_indices() const { return batch_indices(0); }
  const std::vector<int64_t>& y_batch_indices() const { return batch_indices(1); }

  static Vec FromShape(const TensorShape& shape) {
    Vec sizes;
    for (int i = 0; i < shape.dims(); ++i) sizes.push_back(shape.dim_size(i));
    return sizes;
  }
  static TensorShape ToShape(const Vec& sizes) { return TensorShape(sizes); }
  // Fails the running call unless there are kRank sizes.
  template <typename Index, int kRank>
  static std::array<Index, kRank> ToIndexArrayType(const Vec& sizes) {
    if (sizes.size() != kRank) {
      internal::Fail(internal::ErrorOf(error::INTERNAL, {"There are ", sizes.size(), " sizes, not ", kRank}));
    }
    std::array<Index, kRank> array{};
    for (size_t i = 0; i < kRank; ++i) array[i] = static_cast<Index>(sizes[i]);
    return array;
  }
  template <int kRank>
  static std::array<ptrdiff_t, kRank> ToIndexArray(const Vec& sizes) {
    return ToIndexArrayType<ptrdiff_t, kRank>(sizes);
  }
};

class MatMulBCast {
 public:
  typedef BCast::Vec Vec;

  // x and y are shapes with at least two dimensions; the last two, the matrix, are ignored.
  MatMulBCast(const Vec& x, const Vec& y) : batches_(BatchOf(x), BatchOf(y)) {
    if (!batches_.IsValid()) return;
    x_size_ = BCast::ToShape(batches_.x_reshape()).num_elements();
    y_size_ = BCast::ToShape(batches_.y_reshape()).num_elements();
    shape_ = BCast::ToShape(batches_.output_shape());
    if (!IsBroadcastingRequired()) return;
    ComputeBatchIndices(output_batch_size(), batches_.x_reshape(), batches_.x_bcast(), &x_indices_);
    ComputeBatchIndices(output_batch_size(), batches_.y_reshape(), batches_.y_bcast(), &y_indices_);
  }

  // False: the batches are incompatible, and the other results are meaningless.
  bool IsValid() const { return batches_.IsValid(); }
  // True if a matrix of x or y is used for several matrices of the output, or if the batches are incompatible.
  bool IsBroadcastingRequired() const { return !IsValid() || std::min(x_size_, y_size_) != output_batch_size(); }

  // The numbers of matrices.
  int64_t output_batch_size() const { return shape_.num_elements(); }
  int64_t x_batch_size() const { return x_size_; }
  int64_t y_batch_size() const { return y_size_; }
  const TensorShape& output_batch_shape() const { return shape_; }
  // For each matrix of the output, the matrix of x and of y; empty unless broadcasting is required.
  const std::vector<int64_t>& x_batch_indices() const { return x_indices_; }
  const std::vector<int64_t>& y_batch_indices() const { return y_indices_; }

 private:
  static Vec BatchOf(const Vec& sizes) { return Vec(sizes.begin(), sizes.end() - (sizes.size() < 2 ? 0 : 2)); }

  const BCast batches_;
  TensorShape shape_;
  int64_t x_size_ = 1, y_size_ = 1;
  std::vector<int64_t> x_indices_, y_indices_;
};

}  // namespace OPSRUN_HIDDEN

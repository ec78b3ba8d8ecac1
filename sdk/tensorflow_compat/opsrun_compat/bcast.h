// opsrun_compat/bcast.h: BCast: how two shapes are broadcast to one, for Eigen's reshape and broadcast.
//
// The rule is NumPy's: sizes are compared from the last dimension on, and a size of 1, or none, fits any other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tensor_shape.h"
#include "opsrun_compat/gtl.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class BCast {
 public:
  typedef gtl::InlinedVector<int64_t, 4> Vec;

  // With few_dims, neighbouring dimensions that are broadcast in the same way become one in the results for Eigen, and
  // dimensions of 1 on both sides disappear.
  BCast(const Vec& x, const Vec& y, bool few_dims = true) : is_needed_(x != y) {
    const size_t rank = std::max(x.size(), y.size());
    Kind last = kBothOne;
    for (size_t i = 0; i < rank && valid_; ++i) {
      const int64_t a = i < x.size() ? x[x.size() - 1 - i] : 1, b = i < y.size() ? y[y.size() - 1 - i] : 1;
      const Kind kind = a == 1 && b == 1 ? kBothOne : a == b ? kSame : a == 1 ? kOneInX : kOneInY;
      valid_ = kind != kOneInY || b == 1;
      const int64_t axis = static_cast<int64_t>(rank - 1 - i);
      output_.push_back(a == 1 ? b : a);
      const bool both_summed = kind == kBothOne && (is_needed_ || !few_dims);
      if (both_summed || kind == kOneInX) grad_x_.push_back(axis);
      if (both_summed || kind == kOneInY) grad_y_.push_back(axis);
      if (kind == kBothOne && few_dims) continue;
      Append(few_dims && kind == last, a, b, kind == kOneInX ? b : 1, kind == kOneInY ? a : 1);
      last = kind;
    }
    if (result_.empty()) Append(false, 1, 1, 1, 1);
    for (Vec* sizes : {&output_, &result_, &x_reshape_, &x_bcast_, &y_reshape_, &y_bcast_, &grad_x_, &grad_y_}) {
      std::reverse(sizes->begin(), sizes->end());
    }
  }

  // False: the shapes do not fit, and the rest means nothing.
  bool IsValid() const { return valid_; }
  // The shapes are not the same.
  bool IsBroadcastingRequired() const { return is_needed_; }

  // x.reshape(x_reshape()).broadcast(x_bcast()) and the same of y have the shape result_shape(), which is reshaped to
  // output_shape().
  const Vec& x_reshape() const { return x_reshape_; }
  const Vec& x_bcast() const { return x_bcast_; }
  const Vec& y_reshape() const { return y_reshape_; }
  const Vec& y_bcast() const { return y_bcast_; }
  const Vec& result_shape() const { return result_; }
  const Vec& output_shape() const { return output_; }
  // The dimensions of the output along which a gradient is summed to get that of x or y.
  const Vec& grad_x_reduce_idx() const { return grad_x_; }
  const Vec& grad_y_reduce_idx() const { return grad_y_; }

  static Vec FromShape(const TensorShape& shape) {
    Vec sizes;
    for (int i = 0; i < shape.dims(); ++i) sizes.push_back(shape.dim_size(i));
    return sizes;
  }
  static TensorShape ToShape(const Vec& sizes) {
    TensorShape shape;
    for (const int64_t size : sizes) shape.AddDim(size);
    return shape;
  }
  // Requires: N sizes.
  template <int N>
  static std::array<ptrdiff_t, N> ToIndexArray(const Vec& sizes) {
    std::array<ptrdiff_t, N> array{};
    for (size_t i = 0; i < N && i < sizes.size(); ++i) array[i] = static_cast<ptrdiff_t>(sizes[i]);
    return array;
  }

 private:
  enum Kind { kBothOne, kSame, kOneInX, kOneInY };

  void Append(bool to_last, int64_t a, int64_t b, int64_t times_a, int64_t times_b) {
    const auto append = [to_last](Vec* sizes, int64_t size) {
      if (to_last) {
        sizes->back() *= size;
      } else {
        sizes->push_back(size);
      }
    };
    append(&result_, a == 1 ? b : a);
    append(&x_reshape_, a);
    append(&x_bcast_, times_a);
    append(&y_reshape_, b);
    append(&y_bcast_, times_b);
  }

  bool valid_ = true;
  const bool is_needed_;
  Vec x_reshape_, x_bcast_, y_reshape_, y_bcast_, result_, output_, grad_x_, grad_y_;
};

}  // namespace OPSRUN_HIDDEN

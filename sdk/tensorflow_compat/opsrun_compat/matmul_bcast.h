// opsrun_compat/matmul_bcast.h: MatMulBCast: how the batches of two lists of matrices are broadcast.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tensor_shape.h"
#include "opsrun_compat/bcast.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class MatMulBCast {
 public:
  typedef BCast::Vec Vec;

  // x and y are shapes with at least two dimensions; the last two, which are the matrix, do not matter here.
  MatMulBCast(const Vec& x, const Vec& y) : batches_(BatchOf(x), BatchOf(y)) {
    if (!batches_.IsValid()) return;
    x_size_ = BCast::ToShape(batches_.x_reshape()).num_elements();
    y_size_ = BCast::ToShape(batches_.y_reshape()).num_elements();
    shape_ = BCast::ToShape(batches_.output_shape());
    if (!IsBroadcastingRequired()) return;
    ComputeBatchIndices(output_batch_size(), batches_.x_reshape(), batches_.x_bcast(), &x_indices_);
    ComputeBatchIndices(output_batch_size(), batches_.y_reshape(), batches_.y_bcast(), &y_indices_);
  }

  // False: the batches do not fit, and the other results are meaningless.
  bool IsValid() const { return batches_.IsValid(); }
  // A matrix of x or y is used for more than one matrix of the output, or the batches do not fit.
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

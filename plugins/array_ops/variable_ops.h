// plugins/array_ops/variable_ops.h: a tensor that nodes and runs share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/mutex.h"
#include "opsrun/op_kernel.h"
#include "opsrun/resource_mgr.h"

namespace array_ops {

// Thread-safe: each method is atomic.
class Variable : public opsrun::ResourceBase {
 public:
  // `name` is for messages. Sizes of -1 in `shape`, or an unknown rank, allow any size or rank.
  Variable(std::string name, opsrun::DataType dtype, opsrun::PartialTensorShape shape)
      : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)) {}

  const std::string& name() const { return name_; }
  opsrun::DataType dtype() const { return dtype_; }
  const opsrun::PartialTensorShape& shape() const { return shape_; }

  // Copies `value` into the variable. once: only if it has no value yet. INVALID_ARGUMENT: the shape does not match.
  opsrun::Status Assign(const opsrun::Tensor& value, bool once);
  // Adds or subtracts. FAILED_PRECONDITION: there is no value yet.
  opsrun::Status Update(const opsrun::Tensor& amount, bool subtract);
  // Makes output 0 a copy of the value. INVALID_ARGUMENT: the value's shape does not match `expected`.
  opsrun::Status Read(const opsrun::PartialTensorShape& expected, opsrun::OpKernelContext* context) const;

 private:
  opsrun::Status NotAssigned() const;

  const std::string name_;
  const opsrun::DataType dtype_;
  const opsrun::PartialTensorShape shape_;
  mutable opsrun::mutex mutex_;
  bool assigned_ TF_GUARDED_BY(mutex_) = false;
  opsrun::TensorShape size_ TF_GUARDED_BY(mutex_);
  std::vector<char> bytes_ TF_GUARDED_BY(mutex_);
};

}  // namespace array_ops

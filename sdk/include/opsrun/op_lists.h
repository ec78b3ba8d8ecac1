// opsrun/op_lists.h: OpInputList and OpOutputList, the tensors of one argument.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class OpKernelContext;

// Valid while Compute runs. An index that is out of range fails the call.
class OpInputList {
 public:
  OpInputList() = default;
  OpInputList(const OpKernelContext* context, int begin, int end) : context_(context), begin_(begin), end_(end) {}

  int size() const { return end_ - begin_; }
  const Tensor& operator[](int i) const;

  class Iterator {
   public:
    Iterator(const OpInputList* list, int i) : list_(list), i_(i) {}
    const Tensor& operator*() const { return (*list_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return i_ != other.i_; }
    bool operator==(const Iterator& other) const { return i_ == other.i_; }

   private:
    const OpInputList* list_;
    int i_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  const OpKernelContext* context_ = nullptr;
  int begin_ = 0, end_ = 0;
};

class OpOutputList {
 public:
  OpOutputList() = default;
  OpOutputList(OpKernelContext* context, int begin, int end) : context_(context), begin_(begin), end_(end) {}

  int size() const { return end_ - begin_; }
  // NULL until the output is made.
  Tensor* operator[](int i) const;
  ReturnedStatus allocate(int i, const TensorShape& shape, Tensor** tensor) const;
  void set(int i, const Tensor& tensor) const;

 private:
  int Flat(int i) const { return i < 0 || i >= size() ? -1 : begin_ + i; }

  OpKernelContext* context_ = nullptr;
  int begin_ = 0, end_ = 0;
};

}  // namespace OPSRUN_HIDDEN

#include "opsrun/op_kernel_context.h"

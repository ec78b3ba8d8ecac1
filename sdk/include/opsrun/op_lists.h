// opsrun/op_lists.h: OpInputList and OpOutputList, the tensors of one argument.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <iterator>
#include <type_traits>

#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class OpKernelContext;

namespace internal {

// Iterates over a list by its operator[], which returns an Element&, or an Element if it is a pointer.
template <typename List, typename Element>
class ListIterator {
 public:
  typedef std::forward_iterator_tag iterator_category;
  typedef std::remove_const_t<Element> value_type;
  typedef ptrdiff_t difference_type;
  typedef Element* pointer;
  typedef std::conditional_t<std::is_pointer_v<Element>, Element, Element&> reference;

  ListIterator(const List* list, int i) : list_(list), i_(i) {}
  reference operator*() const { return (*list_)[i_]; }
  pointer operator->() const { return &(*list_)[i_]; }
  ListIterator& operator++() {
    ++i_;
    return *this;
  }
  ListIterator operator++(int) { return {list_, i_++}; }
  bool operator!=(const ListIterator& other) const { return i_ != other.i_; }
  bool operator==(const ListIterator& other) const { return i_ == other.i_; }

 private:
  const List* list_;
  int i_;
};

}  // namespace internal

// Valid while Compute runs. An index that is out of range fails the call.
class OpInputList {
 public:
  OpInputList() = default;
  OpInputList(const OpKernelContext* context, int begin, int end) : context_(context), begin_(begin), end_(end) {}

  int size() const { return end_ - begin_; }
  const Tensor& operator[](int i) const;

  typedef internal::ListIterator<OpInputList, const Tensor> Iterator;
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
  DataType expected_output_dtype(int i) const;
  bool required(int /*i*/) const { return true; }
  // NULL until the output is made.
  Tensor* operator[](int i) const;
  ReturnedStatus allocate(int i, const TensorShape& shape, Tensor** tensor) const;
  void set(int i, const Tensor& tensor) const;

  typedef internal::ListIterator<OpOutputList, Tensor*> Iterator;
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  int Flat(int i) const { return i < 0 || i >= size() ? -1 : begin_ + i; }

  OpKernelContext* context_ = nullptr;
  int begin_ = 0, end_ = 0;
};

// The inputs by reference of one argument, which opsrun does not support: see mutable_input in op_kernel_context.h.
class OpMutableInputList {
 public:
  OpMutableInputList() = default;
  int size() const { return 0; }
  Tensor at(int /*i*/, bool /*lock_held*/) { return Tensor(); }
};

}  // namespace OPSRUN_HIDDEN

#include "opsrun/op_kernel_context.h"

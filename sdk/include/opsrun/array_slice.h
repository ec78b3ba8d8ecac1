// opsrun/array_slice.h: gtl::ArraySlice, a view of elements that it does not own.
//
// A parameter of this type accepts a vector, an array or a list in braces. The slice is valid as long as its source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace gtl {

template <typename T>
class ArraySlice {
 public:
  typedef const T value_type;
  typedef const T* iterator;
  typedef const T* const_iterator;

  ArraySlice() = default;
  ArraySlice(const T* data, size_t size) : data_(data), size_(size) {}
  ArraySlice(const std::vector<T>& values) : ArraySlice(values.data(), values.size()) {}
  ArraySlice(std::initializer_list<T> values) : ArraySlice(values.begin(), values.size()) {}
  // Any other container with data() and size(), such as absl::Span and absl::InlinedVector.
  template <typename Values, typename = std::enable_if_t<
                                 std::is_convertible_v<decltype(std::declval<const Values&>().data()), const T*>>>
  ArraySlice(const Values& values) : ArraySlice(values.data(), static_cast<size_t>(values.size())) {}
  template <size_t N>
  ArraySlice(const T (&values)[N]) : ArraySlice(values, N) {}

  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const { return data_[i]; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace gtl
}  // namespace OPSRUN_HIDDEN

// opsrun_absl/types.h: absl::any, optional, variant and Span.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <algorithm>
#include <any>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "opsrun_absl/base.h"

OPSRUN_ABSL_BEGIN
using std::any, std::any_cast, std::bad_any_cast, std::make_any;

using std::bad_optional_access, std::in_place, std::in_place_t, std::make_optional, std::nullopt, std::nullopt_t,
    std::optional;

using std::bad_variant_access, std::get, std::get_if, std::holds_alternative, std::monostate, std::variant,
    std::variant_alternative_t, std::variant_size, std::visit;

// A view of elements that it does not own, of a vector, an array, a list in braces or anything with data() and size().

template <typename T>
class Span {
 public:
  typedef T element_type;
  typedef std::remove_cv_t<T> value_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef T* pointer;
  typedef T& reference;
  typedef const T& const_reference;
  typedef T* iterator;
  typedef const T* const_iterator;
  typedef std::reverse_iterator<T*> reverse_iterator;
  static constexpr size_t npos = ~size_t{0};

  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t N>
  constexpr Span(T (&values)[N]) : Span(values, N) {}
  template <typename Container, typename U = T, typename = std::enable_if_t<!std::is_array_v<Container>>,
            typename = std::enable_if_t<std::is_convertible_v<decltype(std::declval<Container&>().data()), U*>>,
            typename = decltype(std::declval<Container&>().size())>
  constexpr Span(Container& container) : Span(container.data(), static_cast<size_t>(container.size())) {}
  template <typename Container, typename U = T,
            typename = std::enable_if_t<std::is_const_v<U> && !std::is_array_v<Container>>,
            typename = std::enable_if_t<std::is_convertible_v<decltype(std::declval<const Container&>().data()), U*>>>
  constexpr Span(const Container& container) : Span(container.data(), static_cast<size_t>(container.size())) {}
  template <typename U = T, typename = std::enable_if_t<std::is_const_v<U>>>
  constexpr Span(std::initializer_list<value_type> values) : Span(values.begin(), values.size()) {}

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr size_t length() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  constexpr T& at(size_t i) const { return data_[i]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr const T* cbegin() const { return data_; }
  constexpr const T* cend() const { return data_ + size_; }
  reverse_iterator rbegin() const { return reverse_iterator(end()); }
  reverse_iterator rend() const { return reverse_iterator(begin()); }

  constexpr void remove_prefix(size_t n) { *this = subspan(n); }
  constexpr void remove_suffix(size_t n) { size_ -= n; }
  constexpr Span subspan(size_t begin, size_t count = npos) const {
    return Span(data_ + begin, std::min(size_ - begin, count));
  }
  constexpr Span first(size_t count) const { return Span(data_, count); }
  constexpr Span last(size_t count) const { return Span(data_ + size_ - count, count); }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

template <typename T, typename U>
bool operator==(Span<T> a, Span<U> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
template <typename T, typename U>
bool operator!=(Span<T> a, Span<U> b) {
  return !(a == b);
}

template <typename T>
constexpr Span<T> MakeSpan(T* data, size_t size) {
  return Span<T>(data, size);
}
template <typename T>
constexpr Span<T> MakeSpan(T* begin, T* end) {
  return Span<T>(begin, static_cast<size_t>(end - begin));
}
template <typename Container>
constexpr auto MakeSpan(Container& container) {
  return Span<std::remove_pointer_t<decltype(container.data())>>(container);
}
template <typename T, size_t N>
constexpr Span<T> MakeSpan(T (&values)[N]) {
  return Span<T>(values, N);
}
template <typename T>
constexpr Span<const T> MakeConstSpan(const T* data, size_t size) {
  return Span<const T>(data, size);
}
template <typename T>
constexpr Span<const T> MakeConstSpan(const T* begin, const T* end) {
  return Span<const T>(begin, static_cast<size_t>(end - begin));
}
template <typename Container>
constexpr auto MakeConstSpan(const Container& container) {
  return Span<const std::remove_pointer_t<decltype(container.data())>>(container);
}
template <typename T, size_t N>
constexpr Span<const T> MakeConstSpan(const T (&values)[N]) {
  return Span<const T>(values, N);
}

OPSRUN_ABSL_END

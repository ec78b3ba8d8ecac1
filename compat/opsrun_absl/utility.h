// opsrun_absl/utility.h: types of std under abseil's names, Span, function objects, and algorithms on containers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <iterator>
#include <numeric>
#include <variant>

#include "opsrun_absl/base.h"

OPSRUN_ABSL_BEGIN

using std::any, std::any_cast, std::bad_any_cast, std::make_any;

using std::bad_optional_access, std::make_optional, std::nullopt, std::nullopt_t, std::optional;

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

using std::apply, std::exchange, std::forward, std::in_place, std::in_place_index, std::in_place_index_t,
    std::in_place_t, std::in_place_type, std::in_place_type_t, std::index_sequence, std::index_sequence_for,
    std::integer_sequence, std::make_from_tuple, std::make_index_sequence, std::move;

using std::make_unique;
template <typename T>
std::unique_ptr<T> WrapUnique(T* object) {
  return std::unique_ptr<T>(object);
}
template <typename T>
std::weak_ptr<T> WeakenPtr(const std::shared_ptr<T>& object) {
  return object;
}

// Traits that std has since C++17, under abseil's names.
using std::add_const_t, std::common_type_t, std::conditional_t, std::conjunction, std::decay_t, std::disjunction,
    std::enable_if_t, std::is_trivially_copy_constructible, std::is_trivially_destructible, std::make_signed_t,
    std::make_unsigned_t, std::negation, std::remove_const_t, std::remove_cv_t, std::remove_pointer_t,
    std::remove_reference_t, std::underlying_type_t, std::void_t;

namespace internal {
template <typename Call>
struct ResultOf;
template <typename F, typename... Arguments>
struct ResultOf<F(Arguments...)> : std::invoke_result<F, Arguments...> {};
}  // namespace internal
// Standard traits that are deprecated since C++17.
template <typename Call>
using result_of_t = typename internal::ResultOf<Call>::type;
template <typename T>
using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;

// absl::Cleanup: calls a function at the end of the scope.

template <typename F>
class Cleanup {
 public:
  Cleanup(F f) : f_(std::move(f)) {}
  Cleanup(Cleanup&& other) : f_(std::move(other.f_)), is_armed_(std::exchange(other.is_armed_, false)) {}
  ~Cleanup() { std::move(*this).Invoke(); }
  void Cancel() && { is_armed_ = false; }
  void Invoke() && {
    if (std::exchange(is_armed_, false)) f_();
  }

 private:
  F f_;
  bool is_armed_ = true;
};
template <typename F>
Cleanup<F> MakeCleanup(F f) {
  return Cleanup<F>(std::move(f));
}

// absl::AnyInvocable: a shared function object, which may be move-only.

template <typename Signature>
class AnyInvocable;

template <typename Result, typename... Arguments>
class AnyInvocable<Result(Arguments...)> {
 public:
  AnyInvocable() = default;
  AnyInvocable(std::nullptr_t) {}
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, AnyInvocable> &&
                                                    std::is_invocable_r_v<Result, std::decay_t<F>&, Arguments...>>>
  AnyInvocable(F&& f) {
    auto shared = std::make_shared<std::decay_t<F>>(std::forward<F>(f));
    call_ = [shared](Arguments... arguments) -> Result { return (*shared)(std::forward<Arguments>(arguments)...); };
  }
  AnyInvocable(AnyInvocable&&) = default;
  AnyInvocable& operator=(AnyInvocable&&) = default;

  explicit operator bool() const { return static_cast<bool>(call_); }
  Result operator()(Arguments... arguments) { return call_(std::forward<Arguments>(arguments)...); }

 protected:
  std::function<Result(Arguments...)> call_;
};
template <typename Result, typename... Arguments>
class AnyInvocable<Result(Arguments...) &&> : public AnyInvocable<Result(Arguments...)> {
 public:
  using AnyInvocable<Result(Arguments...)>::AnyInvocable;
  Result operator()(Arguments... arguments) && { return this->call_(std::forward<Arguments>(arguments)...); }
};
template <typename Result, typename... Arguments>
class AnyInvocable<Result(Arguments...) const> : public AnyInvocable<Result(Arguments...)> {
 public:
  using AnyInvocable<Result(Arguments...)>::AnyInvocable;
  Result operator()(Arguments... arguments) const { return this->call_(std::forward<Arguments>(arguments)...); }
};

template <typename F, typename... Bound>
auto bind_front(F&& f, Bound&&... bound) {
  return [f = std::decay_t<F>(std::forward<F>(f)),
          first = std::tuple<std::decay_t<Bound>...>(std::forward<Bound>(bound)...)](auto&&... rest) {
    return std::apply([&](const auto&... b) { return std::invoke(f, b..., std::forward<decltype(rest)>(rest)...); },
                      first);
  };
}

// absl::FunctionRef<R(A...)>: refers to a function object that it does not own.

template <typename Signature>
class FunctionRef;

template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef> &&
                                                    std::is_invocable_r_v<Result, F&, Arguments...>>>
  FunctionRef(const F& f)
      : object_(std::addressof(f)), call_([](const void* object, Arguments... arguments) -> Result {
          return (*const_cast<F*>(static_cast<const F*>(object)))(std::forward<Arguments>(arguments)...);
        }) {}
  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  const void* object_;
  Result (*call_)(const void*, Arguments...);
};

// Algorithms of std on whole containers.

#define OPSRUN_ABSL_C(name)                                                    \
  template <typename C, typename... More>                                      \
  auto c_##name(C&& c, More&&... more) {                                       \
    return std::name(std::begin(c), std::end(c), std::forward<More>(more)...); \
  }
OPSRUN_ABSL_C(accumulate)
OPSRUN_ABSL_C(adjacent_find)
OPSRUN_ABSL_C(all_of)
OPSRUN_ABSL_C(any_of)
OPSRUN_ABSL_C(binary_search)
OPSRUN_ABSL_C(copy)
OPSRUN_ABSL_C(copy_if)
OPSRUN_ABSL_C(count)
OPSRUN_ABSL_C(count_if)
OPSRUN_ABSL_C(fill)
OPSRUN_ABSL_C(find)
OPSRUN_ABSL_C(find_if)
OPSRUN_ABSL_C(find_if_not)
OPSRUN_ABSL_C(for_each)
OPSRUN_ABSL_C(generate)
OPSRUN_ABSL_C(iota)
OPSRUN_ABSL_C(is_sorted)
OPSRUN_ABSL_C(lower_bound)
OPSRUN_ABSL_C(max_element)
OPSRUN_ABSL_C(min_element)
OPSRUN_ABSL_C(none_of)
OPSRUN_ABSL_C(partial_sum)
OPSRUN_ABSL_C(reverse)
OPSRUN_ABSL_C(shuffle)
OPSRUN_ABSL_C(sort)
OPSRUN_ABSL_C(stable_sort)
OPSRUN_ABSL_C(transform)
OPSRUN_ABSL_C(upper_bound)
#undef OPSRUN_ABSL_C

template <typename C, typename T>
bool c_contains(const C& c, const T& value) {
  return std::find(std::begin(c), std::end(c), value) != std::end(c);
}
template <typename A, typename B>
bool c_equal(const A& a, const B& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <typename A, typename B, typename T>
T c_inner_product(const A& a, const B& b, T sum) {
  return std::inner_product(std::begin(a), std::end(a), std::begin(b), std::move(sum));
}

OPSRUN_ABSL_END

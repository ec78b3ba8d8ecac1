// opsrun_absl/hash.h: absl::Hash<T> and AbslHashValue, for numbers, text, pairs, tuples and vectors of these.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "opsrun_absl/base.h"

OPSRUN_ABSL_BEGIN

namespace internal {

// A hash in progress. A class supports it with a friend AbslHashValue(H h, const Class& c) that returns
// H::combine(std::move(h), c.a, c.b).
class HashState {
 public:
  template <typename... Parts>
  static HashState combine(HashState state, const Parts&... parts) {
    (state.Add(parts), ...);
    return state;
  }
  template <typename T>
  static HashState combine_contiguous(HashState state, const T* data, size_t size) {
    for (size_t i = 0; i < size; ++i) state.Add(data[i]);
    return combine(std::move(state), size);
  }
  size_t value() const { return static_cast<size_t>(value_); }

 private:
  template <typename T, typename = void>
  struct HasOwn : std::false_type {};
  template <typename T>
  struct HasOwn<T, std::void_t<decltype(AbslHashValue(std::declval<HashState>(), std::declval<const T&>()))>>
      : std::true_type {};

  void Mix(uint64_t number) {
    value_ = (value_ ^ number) * 0x9ddfea08eb382d69ULL;
    value_ ^= value_ >> 32;
  }
  template <typename T>
  void Add(const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      Mix(static_cast<uint64_t>(value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      Mix(std::hash<std::string_view>()(value));
    } else if constexpr (HasOwn<T>::value) {
      *this = AbslHashValue(std::move(*this), value);
    } else {
      Mix(std::hash<T>()(value));
    }
  }
  template <typename A, typename B>
  void Add(const std::pair<A, B>& pair) {
    Add(pair.first);
    Add(pair.second);
  }
  template <typename... T>
  void Add(const std::tuple<T...>& values) {
    std::apply([this](const auto&... value) { (Add(value), ...); }, values);
  }
  template <typename T>
  void Add(const std::vector<T>& values) {
    for (const auto& value : values) Add(value);
    Mix(values.size());
  }

  uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace internal

template <typename T>
struct Hash {
  size_t operator()(const T& value) const { return internal::HashState::combine(internal::HashState(), value).value(); }
};
template <typename... T>
size_t HashOf(const T&... values) {
  return internal::HashState::combine(internal::HashState(), values...).value();
}

OPSRUN_ABSL_END

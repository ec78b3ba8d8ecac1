// opsrun/internal/str_cat.h: concatenates any mix of text, numbers, enums and things that have a DebugString().
//
// A bool is 0 or 1, a float has six digits, an enum is its number. All work is in functions that are no templates, because every
// message of a plugin goes through here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdio.h>
#include <string.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "opsrun/namespace.h"

// For what runs once or never: kept small, and out of its caller.
#define OPSRUN_COLD __attribute__((cold, noinline))

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <typename T, typename = void>
struct HasDebugString : std::false_type {};
template <typename T>
struct HasDebugString<T, std::void_t<decltype(std::declval<const T&>().DebugString())>> : std::true_type {};

// One argument as text. Borrows the text that it is made from.
class Piece {
 public:
  OPSRUN_COLD Piece(const char* text) : text_(text != nullptr ? text : "(null)") {}
  OPSRUN_COLD Piece(std::string_view text) : text_(text) {}
  OPSRUN_COLD Piece(const std::string& text) : text_(text) {}
  OPSRUN_COLD Piece(long long number) { Format("%lld", number); }
  OPSRUN_COLD Piece(unsigned long long number) { Format("%llu", number); }
  OPSRUN_COLD Piece(double number) { Format("%g", number); }
  Piece(const Piece&) = delete;

  std::string_view text() const { return text_; }

 private:
  template <typename Number>
  void Format(const char* format, Number number) {
    text_ = {digits_, static_cast<size_t>(snprintf(digits_, sizeof(digits_), format, number))};
  }

  std::string_view text_;
  char digits_[32];
};

// What a Piece is made from.
template <typename T>
decltype(auto) PieceOf(const T& value) {
  if constexpr (std::is_convertible_v<const T&, const char*>) {
    return static_cast<const char*>(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string_view(value);
  } else if constexpr (std::is_same_v<T, char>) {
    return std::string_view(&value, 1);
  } else if constexpr (std::is_enum_v<T> || (std::is_integral_v<T> && std::is_signed_v<T>)) {
    return static_cast<long long>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<unsigned long long>(value);
  } else if constexpr (HasDebugString<T>::value) {
    return value.DebugString();
  } else {
    return static_cast<double>(value);
  }
}

OPSRUN_COLD inline std::string Join(const Piece* pieces, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out.append(pieces[i].text());
  return out;
}

template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  return [](std::initializer_list<Piece> list) { return Join(list.begin(), list.size()); }({PieceOf(pieces)...});
}

}  // namespace internal
}  // namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN

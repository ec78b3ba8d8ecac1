// opsrun/internal/str_cat.h: concatenates any mix of text, numbers, enums and objects that have a DebugString().
//
// A bool is printed as 0 or 1, a float with six digits, an enum as its number. Templates are avoided, because every
// message of a plugin goes through this file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "opsrun/namespace.h"

// For code that rarely runs: optimized for size and not inlined.
#define OPSRUN_COLD __attribute__((cold, noinline))

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// One argument as text. Borrows its source.
class Piece {
 public:
  Piece(const char* text) : text_(text != nullptr ? text : "(null)") {}
  Piece(std::string_view text) : text_(text) {}
  Piece(const std::string& text) : text_(text) {}
  Piece(const char& c) : text_(&c, 1) {}
  Piece(bool value) : text_(value ? "1" : "0") {}
  Piece(int number) : Piece(static_cast<long long>(number)) {}
  Piece(unsigned number) : Piece(static_cast<unsigned long long>(number)) {}
  Piece(long number) : Piece(static_cast<long long>(number)) {}
  Piece(unsigned long number) : Piece(static_cast<unsigned long long>(number)) {}
  OPSRUN_COLD Piece(long long number) { Keep(snprintf(digits_, sizeof(digits_), "%lld", number)); }
  OPSRUN_COLD Piece(unsigned long long number) { Keep(snprintf(digits_, sizeof(digits_), "%llu", number)); }
  OPSRUN_COLD Piece(double number) { Keep(snprintf(digits_, sizeof(digits_), "%g", number)); }
  template <typename Enum, typename = std::enable_if_t<std::is_enum_v<Enum>>>
  Piece(Enum value) : Piece(static_cast<long long>(value)) {}
  Piece(const Piece&) = delete;

  std::string_view text() const { return text_; }

 private:
  void Keep(int size) { text_ = {digits_, static_cast<size_t>(size)}; }

  std::string_view text_;
  char digits_[32];
};

template <typename T, typename = void>
struct HasDebugString : std::false_type {};
template <typename T>
struct HasDebugString<T, std::void_t<decltype(std::declval<const T&>().DebugString())>> : std::true_type {};

// Another library's string view, such as abseil's.
template <typename T, typename = void>
struct HasChars : std::false_type {};
template <typename T>
struct HasChars<
    T, std::void_t<decltype(std::string_view(std::declval<const T&>().data(), std::declval<const T&>().size()))>>
    : std::true_type {};

// Converts a value to a type that Piece accepts: the value itself or, for an object, its description, text or number.
template <typename T>
decltype(auto) AsPiece(const T& value) {
  if constexpr (!std::is_class_v<T> || std::is_same_v<T, std::string>) {
    return (value);
  } else if constexpr (HasDebugString<T>::value) {
    return value.DebugString();
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string_view(value);
  } else if constexpr (HasChars<T>::value) {
    return std::string_view(value.data(), value.size());
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

OPSRUN_COLD inline std::string Join(std::initializer_list<Piece> pieces) {
  std::string out;
  for (const Piece& piece : pieces) out.append(piece.text());
  return out;
}

// Like printf. The SDK's own messages use it, because it costs the least build time of a plugin.
__attribute__((format(printf, 1, 0))) OPSRUN_COLD inline std::string FormatList(const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  std::string out(static_cast<size_t>(vsnprintf(nullptr, 0, format, again)), '\0');
  va_end(again);
  vsnprintf(out.data(), out.size() + 1, format, arguments);
  return out;
}

__attribute__((format(printf, 1, 2))) OPSRUN_COLD inline std::string Format(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string out = FormatList(format, arguments);
  va_end(arguments);
  return out;
}

// By value, so that literals of all lengths have the same type.
template <typename... Pieces>
OPSRUN_COLD std::string StrCat(Pieces... pieces) {
  return Join({AsPiece(pieces)...});
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// opsrun_absl/str_format.h: absl::StrFormat and relatives: printf with checked arguments, which may be strings.
//
// %s takes text and numbers; %v, or a conversion that does not match its argument, uses the format of StrCat.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdio.h>

#include "opsrun_absl/str_cat.h"

OPSRUN_ABSL_BEGIN

namespace internal {

// The output of printf for one conversion, such as "%5.2f".
template <typename T>
std::string Print(const std::string& conversion, const T& value) {
  const int size = snprintf(nullptr, 0, conversion.c_str(), value);
  std::string text(static_cast<size_t>(size), '\0');
  snprintf(text.data(), text.size() + 1, conversion.c_str(), value);
  return text;
}

// Text with flags such as "%-5.2". The text may contain NULs.
inline std::string Padded(const std::string& flags, std::string text) {
  const size_t digits = flags.find_first_of("123456789."), dot = flags.find('.');
  if (dot != std::string::npos) text.resize(std::min(text.size(), size_t{strtoul(&flags[dot + 1], nullptr, 10)}));
  const size_t width = digits == std::string::npos ? 0 : strtoul(&flags[digits], nullptr, 10);
  const size_t at = flags.find('-') == std::string::npos ? 0 : text.size();
  if (width > text.size()) text.insert(at, width - text.size(), ' ');
  return text;
}

// The flags of a conversion, "%5.2", and its letter, 'd'.
template <typename T>
std::string One(const std::string& flags, char letter, const T& value) {
  constexpr std::string_view kInts = "dioxXuc", kFloats = "fFeEgGaA";
  if constexpr (std::is_floating_point_v<T>) {
    if (kFloats.find(letter) != std::string_view::npos) return Print(flags + letter, static_cast<double>(value));
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    if (letter == 'c') return Print(flags + letter, static_cast<int>(value));
    if (kInts.find(letter) != std::string_view::npos) {
      const bool is_signed = letter == 'd' || letter == 'i';
      if (is_signed && std::is_signed_v<T>) return Print(flags + "ll" + letter, static_cast<long long>(value));
      return Print(flags + "ll" + (is_signed ? 'u' : letter), static_cast<unsigned long long>(value));
    }
    if (kFloats.find(letter) != std::string_view::npos) return Print(flags + letter, static_cast<double>(value));
    if constexpr (std::is_same_v<T, bool>) return Padded(flags, value ? "true" : "false");
  } else if constexpr (std::is_pointer_v<T>) {
    if (letter == 'p') return Print(flags + letter, static_cast<const void*>(value));
  }
  return Padded(flags, StrCat(value));
}

// A type-erased argument.
struct Argument {
  template <typename T>
  explicit Argument(const T& the_value)
      : value(&the_value), print([](const std::string& flags, char letter, const void* v) {
          const std::decay_t<const T&>& decayed = *static_cast<const T*>(v);
          return One(flags, letter, decayed);
        }) {}
  const void* value;
  std::string (*print)(const std::string& flags, char letter, const void* value);
};

// Appends the text up to the next conversion; *format then begins after its '%'. False: there is no conversion.
inline bool Next(std::string* out, string_view* format) {
  for (;;) {
    const size_t at = format->find('%');
    out->append(format->substr(0, at));
    if (at == string_view::npos) return false;
    format->remove_prefix(at + 1);
    if (format->empty() || format->front() != '%') return true;
    out->push_back('%');
    format->remove_prefix(1);
  }
}

// Removes leading characters of `set` from *format.
inline std::string Take(string_view* format, const char* set) {
  const size_t n = std::min(format->find_first_not_of(set), format->size());
  const std::string taken(format->substr(0, n));
  format->remove_prefix(n);
  return taken;
}

// Processes a format and its arguments, which conversions take in order or by number, "%2$s".
class Formatter {
 public:
  explicit Formatter(std::initializer_list<Argument> arguments) : arguments_(arguments) {}

  void AppendTo(std::string* out, string_view format) {
    while (Next(out, &format)) {
      const size_t number = Number(&format);
      std::string flags = "%" + Take(&format, "-+ #0123456789.");
      while (!format.empty() && format.front() == '*') {
        format.remove_prefix(1);
        flags += Print("%", 'd', Number(&format)) + Take(&format, "0123456789.");
      }
      Take(&format, "hlLqjzt");
      const char letter = format.empty() ? 's' : format.front();
      if (!format.empty()) format.remove_prefix(1);
      out->append(Print(flags, letter, number));
    }
  }

 private:
  // Removes "2$" from the start of the format. 0: it does not start with a number.
  static size_t Number(string_view* format) {
    const size_t end = format->find_first_not_of("0123456789");
    if (end == 0 || end == string_view::npos || (*format)[end] != '$') return 0;
    const size_t number = strtoul(std::string(format->substr(0, end)).c_str(), nullptr, 10);
    format->remove_prefix(end + 1);
    return number;
  }
  std::string Print(const std::string& flags, char letter, size_t number) {
    const size_t at = number > 0 ? number - 1 : next_++;
    if (at >= arguments_.size()) return {};
    const Argument& argument = arguments_.begin()[at];
    return argument.print(flags, letter, argument.value);
  }

  std::initializer_list<Argument> arguments_;
  size_t next_ = 0;
};

}  // namespace internal

template <typename... Arguments>
using FormatSpec = string_view;

template <typename... Arguments>
std::string StrFormat(string_view format, const Arguments&... arguments) {
  std::string out;
  internal::Formatter({internal::Argument(arguments)...}).AppendTo(&out, format);
  return out;
}
template <typename... Arguments>
std::string& StrAppendFormat(std::string* out, string_view format, const Arguments&... arguments) {
  internal::Formatter({internal::Argument(arguments)...}).AppendTo(out, format);
  return *out;
}
template <typename... Arguments>
int FPrintF(FILE* file, string_view format, const Arguments&... arguments) {
  const std::string text = StrFormat(format, arguments...);
  return static_cast<int>(fwrite(text.data(), 1, text.size(), file));
}
template <typename... Arguments>
int PrintF(string_view format, const Arguments&... arguments) {
  return FPrintF(stdout, format, arguments...);
}

OPSRUN_ABSL_END

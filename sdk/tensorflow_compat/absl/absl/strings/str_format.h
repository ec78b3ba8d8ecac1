// absl/strings/str_format.h: absl::StrFormat and relatives: printf with checked arguments, which may be strings.
//
// %s takes text and numbers, %v any value as StrCat prints it. A conversion that does not fit its argument prints the
// argument as StrCat does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdio.h>

#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"

OPSRUN_ABSL_BEGIN

namespace format {

// What printf says for one conversion, such as "%5.2f". `width` counts the stars in it.
template <typename T>
std::string Print(const std::string& conversion, const T& value) {
  const int size = snprintf(nullptr, 0, conversion.c_str(), value);
  std::string text(static_cast<size_t>(size), '\0');
  snprintf(text.data(), text.size() + 1, conversion.c_str(), value);
  return text;
}

// "%5.2" and 'd': the flags of a conversion, and its letter.
template <typename T>
std::string One(std::string flags, char letter, const T& value) {
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
  } else if constexpr (std::is_pointer_v<T>) {
    if (letter == 'p') return Print(flags + letter, static_cast<const void*>(value));
  }
  return Print(flags + 's', StrCat(value).c_str());
}

inline void Rest(std::string* out, string_view format) {
  for (size_t i = 0; i < format.size(); ++i) {
    out->push_back(format[i]);
    i += format.substr(i, 2) == "%%";
  }
}

// Appends the text up to the next conversion; *format begins after its '%'. False: there is none.
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

// Takes flags, width and precision off *format. A star is replaced by the number.
inline std::string Flags(string_view* format) {
  size_t n = 0;
  while (n < format->size() && string_view("-+ #0123456789.").find((*format)[n]) != string_view::npos) ++n;
  std::string flags = "%" + std::string(format->substr(0, n));
  format->remove_prefix(n);
  return flags;
}

inline void Append(std::string* out, string_view format, std::string pending = {}) {
  (void)pending;
  Rest(out, format);
}
template <typename T, typename... More>
void Append(std::string* out, string_view format, std::string pending, const T& value, const More&... more) {
  if (pending.empty() && !Next(out, &format)) return;
  std::string flags = pending + (pending.empty() ? Flags(&format) : Flags(&format).substr(1));
  if (!format.empty() && format.front() == '*') {
    format.remove_prefix(1);
    return Append(out, format, flags + StrCat(value), more...);
  }
  while (!format.empty() && string_view("hlLqjzt").find(format.front()) != string_view::npos) format.remove_prefix(1);
  const char letter = format.empty() ? 's' : format.front();
  if (!format.empty()) format.remove_prefix(1);
  out->append(One(flags, letter, static_cast<const std::decay_t<const T&>&>(value)));
  Append(out, format, {}, more...);
}

}  // namespace format

template <typename... Arguments>
using FormatSpec = string_view;

template <typename... Arguments>
std::string StrFormat(string_view format, const Arguments&... arguments) {
  std::string out;
  format::Append(&out, format, {}, arguments...);
  return out;
}
template <typename... Arguments>
std::string& StrAppendFormat(std::string* out, string_view format, const Arguments&... arguments) {
  format::Append(out, format, {}, arguments...);
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

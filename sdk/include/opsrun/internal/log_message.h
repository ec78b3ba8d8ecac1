// opsrun/internal/log_message.h: a line on stderr, written at the end of the statement.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
// Builds text with <<, without <sstream>.
//
// Accepts what StrCat accepts, and pointers. For other types that an ostream can print, the source must include
// <sstream>.

namespace internal {

template <typename T, typename = void>
struct IsNumberLike : std::false_type {};
template <typename T>
struct IsNumberLike<T, std::void_t<decltype(static_cast<float>(std::declval<const T&>()))>> : std::true_type {};

// True for the types that AsPiece accepts.
template <typename T>
inline constexpr bool kIsPiece = std::is_arithmetic_v<T> || std::is_enum_v<T> || HasDebugString<T>::value ||
                                 std::is_convertible_v<const T&, std::string_view> || HasChars<T>::value ||
                                 (std::is_class_v<T> && IsNumberLike<T>::value);

// Depends on T, so that only sources that use it need the complete class.
template <typename T>
struct StreamFor {
  typedef std::basic_ostringstream<char> type;
};

template <typename T>
std::string LogText(const T& value) {
  if constexpr (std::is_null_pointer_v<T>) {
    return "null";
  } else if constexpr (kIsPiece<T>) {
    return StrCat(static_cast<const std::decay_t<const T>&>(value));
  } else if constexpr (std::is_pointer_v<T>) {
    return Format("%p", static_cast<const volatile void*>(value));
  } else {
    typename StreamFor<T>::type stream;
    stream << value;
    return stream.str();
  }
}

class TextStream {
 public:
  template <typename T>
  TextStream& operator<<(const T& value) {
    text_ += LogText(value);
    return *this;
  }
  template <size_t N>
  TextStream& operator<<(const char (&literal)[N]) {
    text_ += static_cast<const char*>(literal);
    return *this;
  }
  // std::endl and relatives; the source must include <sstream>.
  template <typename Stream = std::basic_ostringstream<char>>
  TextStream& operator<<(std::basic_ostream<char>& (*manipulate)(std::basic_ostream<char>&)) {
    Stream stream;
    stream << manipulate;
    text_ += stream.str();
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline const char* FileName(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

class LogMessage {
 public:
  LogMessage(const char* severity, const char* file, int line) : severity_(severity), file_(file), line_(line) {}
  LogMessage(const LogMessage&) = delete;
  OPSRUN_COLD ~LogMessage() {
    fprintf(stderr, "%s %s:%d] %s\n", severity_, FileName(file_), line_, stream_.text().c_str());
  }
  TextStream& stream() { return stream_; }

 private:
  const char* severity_;
  const char* file_;
  int line_;
  TextStream stream_;
};

// The value of the environment variable OPSRUN_VLOG, read once.
inline int VlogLevel() {
  static const int level = [] {
    const char* text = getenv("OPSRUN_VLOG");
    return text == nullptr ? 0 : atoi(text);
  }();
  return level;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// opsrun/logging.h: LOG, VLOG, CHECK and related macros. CHECK_EQ(a.size(), b.size()) << "one weight for each value";
//
// LOG gives a line to the log of the host that loaded this plugin last and still runs, which may leave it out; without
// a host, to stderr. VLOG(n) does that if the environment variable OPSRUN_VLOG is at least n. A failed CHECK and
// LOG(FATAL) abort the running call: it fails with their message, and the host continues. DCHECKs are compiled out if
// NDEBUG is defined. Use OP_REQUIRES for errors that a user can cause.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "opsrun/internal/own_host.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
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

// Builds text with <<, without <sstream>. Accepts what StrCat accepts, and pointers. For other types that an ostream
// can print, the source must include <sstream>.
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

// A line of the log, written at the end of the statement. severity: OPSRUN_LOG_*.
class LogMessage {
 public:
  LogMessage(int severity, const char* file, int line) : severity_(severity), file_(file), line_(line) {}
  LogMessage(const LogMessage&) = delete;
  OPSRUN_COLD ~LogMessage() {
    const std::string& text = stream_.text();
    const char* const file = FileName(file_);
    pthread_mutex_lock(&opsrun_sdk_hosts_mutex);
    if (opsrun_sdk_hosts != nullptr) {
      const opsrun_host* const host = opsrun_sdk_hosts->host;
      host->log(host, nullptr, severity_, {text.data(), text.size()}, {file, strlen(file)},
                static_cast<uint32_t>(line_));
    } else {
      fprintf(stderr, "%c %s:%d] %s\n", "IWE"[severity_], file, line_, text.c_str());
    }
    pthread_mutex_unlock(&opsrun_sdk_hosts_mutex);
  }
  TextStream& stream() { return stream_; }

 private:
  int severity_;
  const char* file_;
  int line_;
  TextStream stream_;
};

// The value of the environment variable OPSRUN_VLOG, read once.
inline int VlogLevel() {
  static const int level = [] {
    const char* text = secure_getenv("OPSRUN_VLOG");
    return text == nullptr ? 0 : atoi(text);
  }();
  return level;
}

// The location and the reason of an aborted call. Text that follows with << is appended.
struct GivingUp {
  const char* file;
  int line;
  error::Code code;

  // & has a lower precedence than <<, so it is evaluated last. A destructor could not throw.
  [[noreturn]] OPSRUN_COLD void operator&(const TextStream& text) const {
    Fail(Status(code, Format("%s (%s:%d)", text.text().c_str(), FileName(file), line)));
  }
};

// The result of a comparison. The text is empty if the comparison holds.
class Compared {
 public:
  explicit Compared(std::string why) : why_(std::move(why)) {}
  Compared() = default;
  bool Failed() const { return TF_PREDICT_FALSE(!why_.empty()); }
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

template <typename A, typename B>
OPSRUN_COLD Compared ComparedBadly(const A& a, const B& b, const char* text) {
  return Compared(StrCat("Check failed: ", text, " (", LogText(a), " vs. ", LogText(b), ") "));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#define OPSRUN_COMPARISON(Name, op)                                  \
  template <typename A, typename B>                                  \
  Compared Compare##Name(const A& a, const B& b, const char* text) { \
    if (TF_PREDICT_TRUE(a op b)) return Compared();                  \
    return ComparedBadly(a, b, text);                                \
  }
OPSRUN_COMPARISON(Equal, ==)
OPSRUN_COMPARISON(NotEqual, !=)
OPSRUN_COMPARISON(Less, <)
OPSRUN_COMPARISON(LessEqual, <=)
OPSRUN_COMPARISON(Greater, >)
OPSRUN_COMPARISON(GreaterEqual, >=)
#undef OPSRUN_COMPARISON
#pragma GCC diagnostic pop

template <typename Pointer>
Pointer CheckNotNull(const char* file, int line, const char* text, Pointer&& pointer) {
  if (TF_PREDICT_FALSE(pointer == nullptr)) {
    GivingUp{file, line, error::INTERNAL} & (TextStream() << "Check failed: " << text << " is null");
  }
  return std::forward<Pointer>(pointer);
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

#define OPSRUN_GIVE_UP(code, text)                                                                              \
  ::OPSRUN_NAMESPACE::internal::GivingUp{__FILE__, __LINE__, code} & ::OPSRUN_NAMESPACE::internal::TextStream() \
                                                                         << (text)

#define OPSRUN_CHECK_OP(Name, op, a, b)                                             \
  for (const ::OPSRUN_NAMESPACE::internal::Compared opsrun_compared =               \
           ::OPSRUN_NAMESPACE::internal::Compare##Name((a), (b), #a " " op " " #b); \
       opsrun_compared.Failed();)                                                   \
  OPSRUN_GIVE_UP(::OPSRUN_NAMESPACE::error::INTERNAL, opsrun_compared.why())

// Macros that the source or another library has already defined are kept.
#ifndef LOG
#define LOG(severity) OPSRUN_STREAM_##severity
#define LOG_IF(severity, condition) \
  if (!(condition)) {               \
  } else                            \
    LOG(severity)
#endif
#define OPSRUN_STREAM_INFO ::OPSRUN_NAMESPACE::internal::LogMessage(OPSRUN_LOG_INFO, __FILE__, __LINE__).stream()
#define OPSRUN_STREAM_WARNING ::OPSRUN_NAMESPACE::internal::LogMessage(OPSRUN_LOG_WARNING, __FILE__, __LINE__).stream()
#define OPSRUN_STREAM_ERROR ::OPSRUN_NAMESPACE::internal::LogMessage(OPSRUN_LOG_ERROR, __FILE__, __LINE__).stream()
#define OPSRUN_STREAM_FATAL OPSRUN_GIVE_UP(::OPSRUN_NAMESPACE::error::INTERNAL, "")

#ifndef VLOG
#define VLOG_IS_ON(level) (::OPSRUN_NAMESPACE::internal::VlogLevel() >= (level))
#define VLOG(level)         \
  if (!VLOG_IS_ON(level)) { \
  } else                    \
    OPSRUN_STREAM_INFO
#endif

#ifndef CHECK
#define CHECK(condition)                \
  if (TF_PREDICT_TRUE(!!(condition))) { \
  } else                                \
    OPSRUN_GIVE_UP(::OPSRUN_NAMESPACE::error::INTERNAL, "Check failed: " #condition " ")

#define CHECK_EQ(a, b) OPSRUN_CHECK_OP(Equal, "==", a, b)
#define CHECK_NE(a, b) OPSRUN_CHECK_OP(NotEqual, "!=", a, b)
#define CHECK_LT(a, b) OPSRUN_CHECK_OP(Less, "<", a, b)
#define CHECK_LE(a, b) OPSRUN_CHECK_OP(LessEqual, "<=", a, b)
#define CHECK_GT(a, b) OPSRUN_CHECK_OP(Greater, ">", a, b)
#define CHECK_GE(a, b) OPSRUN_CHECK_OP(GreaterEqual, ">=", a, b)
#define CHECK_NOTNULL(pointer) ::OPSRUN_NAMESPACE::internal::CheckNotNull(__FILE__, __LINE__, #pointer, (pointer))
#endif

#define TF_CHECK_OK(...)                                                                                         \
  for (const ::OPSRUN_NAMESPACE::Status opsrun_checked = (__VA_ARGS__); TF_PREDICT_FALSE(!opsrun_checked.ok());) \
  OPSRUN_GIVE_UP(opsrun_checked.code(), opsrun_checked.message() + " ")

#if defined(NDEBUG)
#define OPSRUN_DEBUG_ONLY while (false)
#else
#define OPSRUN_DEBUG_ONLY
#endif
#ifndef DCHECK
#define DCHECK(condition) OPSRUN_DEBUG_ONLY CHECK(condition)
#define DCHECK_EQ(a, b) OPSRUN_DEBUG_ONLY CHECK_EQ(a, b)
#define DCHECK_NE(a, b) OPSRUN_DEBUG_ONLY CHECK_NE(a, b)
#define DCHECK_LT(a, b) OPSRUN_DEBUG_ONLY CHECK_LT(a, b)
#define DCHECK_LE(a, b) OPSRUN_DEBUG_ONLY CHECK_LE(a, b)
#define DCHECK_GT(a, b) OPSRUN_DEBUG_ONLY CHECK_GT(a, b)
#define DCHECK_GE(a, b) OPSRUN_DEBUG_ONLY CHECK_GE(a, b)
#endif
#define TF_DCHECK_OK(...) OPSRUN_DEBUG_ONLY TF_CHECK_OK(__VA_ARGS__)

// opsrun/status.h: Status, errors::*, and TF_RETURN_IF_ERROR.
//
// A Status is OK, or a code with a message. If the SDK or the author knows the subject at fault ("attr:N", "input:x",
// "output:y"), the status holds it too, so that the host can point to the place in the user's graph. OK is a null
// pointer, so creating, copying and testing it is free.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <exception>
#include <iosfwd>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"
#include "opsrun/tstring.h"

#ifdef OPSRUN_ABSL
#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#endif

#define TF_PREDICT_FALSE(x) (__builtin_expect(!!(x), 0))
#define TF_PREDICT_TRUE(x) (__builtin_expect(!!(x), 1))

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// All codes but OK, in the order of their numbers: m(Name, CODE).
// clang-format off
#define OPSRUN_ERROR_CODES(m) \
  m(Cancelled, CANCELLED) \
  m(Unknown, UNKNOWN) \
  m(InvalidArgument, INVALID_ARGUMENT) \
  m(DeadlineExceeded, DEADLINE_EXCEEDED) \
  m(NotFound, NOT_FOUND) \
  m(AlreadyExists, ALREADY_EXISTS) \
  m(PermissionDenied, PERMISSION_DENIED) \
  m(ResourceExhausted, RESOURCE_EXHAUSTED) \
  m(FailedPrecondition, FAILED_PRECONDITION) \
  m(Aborted, ABORTED) \
  m(OutOfRange, OUT_OF_RANGE) \
  m(Unimplemented, UNIMPLEMENTED) \
  m(Internal, INTERNAL) \
  m(Unavailable, UNAVAILABLE) \
  m(DataLoss, DATA_LOSS) \
  m(Unauthenticated, UNAUTHENTICATED)
// clang-format on

namespace error {
// Each code also has its name in absl::StatusCode, an alias of this type.
enum Code : int32_t {
  OK = OPSRUN_OK,
  kOk = OK,
#define OPSRUN_ERROR(Name, CODE) CODE = OPSRUN_##CODE, k##Name = CODE,
  OPSRUN_ERROR_CODES(OPSRUN_ERROR)
#undef OPSRUN_ERROR
};
}  // namespace error

namespace internal {

// "INVALID_ARGUMENT", or "code 99".
OPSRUN_COLD inline std::string CodeName(int32_t code) {
#define OPSRUN_ERROR(Name, CODE) #CODE,
  static constexpr const char* kNames[] = {"OK", OPSRUN_ERROR_CODES(OPSRUN_ERROR)};
#undef OPSRUN_ERROR
  if (code < 0 || code > OPSRUN_UNAUTHENTICATED) return Format("code %d", code);
  return kNames[code];
}

struct StatusState {
  int32_t code;
  std::string message;
  std::string subject;
};

OPSRUN_COLD inline StatusState* CopyOf(const StatusState& state) {
  return new StatusState(state);
}
OPSRUN_COLD inline void Delete(StatusState* state) {
  delete state;
}

}  // namespace internal

class Status;

// The return type of functions whose results authors return in turn. It differs from Status only in TensorFlow's
// sources that are compiled with abseil itself: there TF_RETURN_IF_ERROR and absl::OkStatus() return abseil's class,
// and all returns of a lambda must have the same type.
#if defined(OPSRUN_ABSL) && defined(OPSRUN_ENTERED_THROUGH_TENSORFLOW)
typedef ::absl::Status ReturnedStatus;
#else
typedef Status ReturnedStatus;
#endif

class Status {
 public:
  Status() = default;
  // OK if code is 0, whatever the message is.
  OPSRUN_COLD Status(error::Code code, std::string_view message)
      : state_(code == error::OK ? nullptr : new internal::StatusState{code, std::string(message), {}}) {}
  Status(const Status& other) : state_(other.state_ == nullptr ? nullptr : internal::CopyOf(*other.state_)) {}
  Status(Status&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Status& operator=(Status other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Status() {
    if (TF_PREDICT_FALSE(state_ != nullptr)) internal::Delete(state_);
  }
  // Takes over *state, or is OK if that is NULL; Release is the reverse. So a status can be passed in a register.
  explicit Status(internal::StatusState* state) : state_(state) {}
  internal::StatusState* Release() && { return std::exchange(state_, nullptr); }

  static ReturnedStatus OK() { return {}; }

  bool ok() const { return state_ == nullptr; }
  error::Code code() const { return ok() ? error::OK : static_cast<error::Code>(state_->code); }
  const std::string& message() const { return ok() ? Empty() : state_->message; }
  const std::string& error_message() const { return message(); }
  int raw_code() const { return code(); }
  // "OK", or "INVALID_ARGUMENT: the message".
  std::string ToString() const { return ok() ? "OK" : internal::CodeName(state_->code) + ": " + state_->message; }

  // Keeps the first failure: `other` is used only while this status is OK.
  void Update(const Status& other) {
    if (ok()) *this = other;
  }
  void IgnoreError() const {}

  // The subject at fault: "attr:N", "input:x", "input:list.2" (tensor 2 of a list), "output:y", or "plugin" for a
  // mistake in the plugin's code; empty if it is unknown. Blame sets it unless it is already set or the status is OK.
  const std::string& subject() const { return ok() ? Empty() : state_->subject; }
  OPSRUN_COLD Status&& Blame(std::string_view subject) && {
    if (!ok() && state_->subject.empty()) state_->subject = subject;
    return std::move(*this);
  }

  bool operator==(const Status& other) const { return code() == other.code() && message() == other.message(); }
  bool operator!=(const Status& other) const { return !(*this == other); }
  void Swap(Status* other) { std::swap(state_, other->state_); }

#ifdef OPSRUN_ABSL
  // Abseil's own class, which keeps the subject as a payload.
  Status(const absl::Status& other)
      : Status(static_cast<error::Code>(other.code()), {other.message().data(), other.message().size()}) {
    if (!ok()) state_->subject = std::string(other.GetPayload(kPayload).value_or(absl::Cord()));
  }
  OPSRUN_COLD Status(absl::StatusCode code, absl::string_view message)
      : Status(static_cast<error::Code>(code), {message.data(), message.size()}) {}
  operator absl::Status() const {
    absl::Status other(static_cast<absl::StatusCode>(raw_code()), message());
    if (!subject().empty()) other.SetPayload(kPayload, absl::Cord(subject()));
    return other;
  }
#endif

 private:
  static constexpr const char* kPayload = "opsrun.subject";
  static const std::string& Empty() {
    static const std::string* empty = new std::string;
    return *empty;
  }

  internal::StatusState* state_ = nullptr;
};

#ifdef OPSRUN_ABSL
// For comparing statuses and codes of both classes.
inline bool operator==(const Status& a, const absl::Status& b) {
  return a == Status(b);
}
inline bool operator==(const absl::Status& a, const Status& b) {
  return Status(a) == b;
}
inline bool operator!=(const Status& a, const absl::Status& b) {
  return !(a == b);
}
inline bool operator!=(const absl::Status& a, const Status& b) {
  return !(a == b);
}
namespace error {
inline bool operator==(Code a, absl::StatusCode b) {
  return a == static_cast<Code>(b);
}
inline bool operator==(absl::StatusCode a, Code b) {
  return b == a;
}
inline bool operator!=(Code a, absl::StatusCode b) {
  return !(a == b);
}
inline bool operator!=(absl::StatusCode a, Code b) {
  return !(a == b);
}
}  // namespace error
#endif

inline ReturnedStatus OkStatus() {
  return {};
}

namespace internal {

// A status with a message in printf format.
__attribute__((format(printf, 2, 3))) OPSRUN_COLD inline Status Error(error::Code code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Status status(code, FormatList(format, arguments));
  va_end(arguments);
  return status;
}

// A status whose message is the concatenation of the pieces.
OPSRUN_COLD inline Status ErrorOf(error::Code code, std::initializer_list<Piece> pieces) {
  return Status(code, Join(pieces));
}
OPSRUN_COLD inline Status Invalid(std::initializer_list<Piece> pieces) {
  return ErrorOf(error::INVALID_ARGUMENT, pieces);
}

struct Failure {
  Status status;
};

// Aborts the running callback from code that cannot return a status, such as access to a tensor with the wrong data
// type. Guarded catches the exception and fails the call. Without exceptions, it writes the message to stderr and
// aborts the process.
[[noreturn]] OPSRUN_COLD inline void Fail(Status status) {
#if defined(__cpp_exceptions)
  throw Failure{std::move(status)};
#else
  fprintf(stderr, "%s\n", status.ToString().c_str());
  abort();
#endif
}

inline void FailUnlessOk(Status status) {
  if (TF_PREDICT_FALSE(!status.ok())) Fail(std::move(status));
}

// Requires: an exception is being handled.
OPSRUN_COLD inline Status StatusOfException() {
#if defined(__cpp_exceptions)
  try {
    throw;
  } catch (Failure& failure) {
    return std::move(failure.status);
  } catch (const std::bad_alloc&) {
    return Error(error::RESOURCE_EXHAUSTED, "Out of memory");
  } catch (const std::exception& exception) {
    return Error(error::INTERNAL, "The plugin threw an exception: %s", exception.what());
  } catch (...) {
    return Error(error::UNKNOWN, "The plugin threw an exception of an unknown type");
  }
#else
  return Status();
#endif
}

// Runs the author's code at the C boundary, which exceptions must not cross: returns what body() returns, or what
// thrown() returns while the exception is being handled. This is the only try and catch of the SDK. Without exceptions
// (-fno-exceptions), it only calls the code.
template <typename Body, typename Thrown>
__attribute__((always_inline)) inline auto Caught(Body&& body, Thrown&& thrown) -> decltype(body()) {
#if defined(__cpp_exceptions)
  try {
    return body();
  } catch (...) {
    return thrown();
  }
#else
  static_cast<void>(thrown);
  return body();
#endif
}

// The same for code that returns a Status, which an exception becomes; it may make copies of texts.
template <typename Body>
__attribute__((always_inline)) inline Status Guarded(Body&& body) {
  const CCopiesScope copies;
  return Caught(body, [] { return StatusOfException(); });
}

inline opsrun_str Borrow(std::string_view text) {
  return {text.data(), text.size()};
}

// The code that a callback returns for `status`. Reports a failure to the host.
inline int32_t Report(const opsrun_host* host, void* where, const Status& status) {
  if (TF_PREDICT_TRUE(status.ok())) return OPSRUN_OK;
  return host->fail(host, where, status.code(), Borrow(status.message()), Borrow(status.subject()));
}

}  // namespace internal

template <typename Char, typename Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os, const Status& status) {
  return os << status.ToString();
}

// errors::InvalidArgument(pieces...) creates a failure; errors::IsInvalidArgument(status) tests for it.
namespace errors {
#define OPSRUN_ERROR(Name, CODE)                                                                                   \
  template <typename... Pieces>                                                                                    \
  OPSRUN_COLD ReturnedStatus Name(Pieces... pieces) {                                                              \
    return ::OPSRUN_NAMESPACE::internal::ErrorOf(error::CODE, {::OPSRUN_NAMESPACE::internal::AsPiece(pieces)...}); \
  }                                                                                                                \
  inline bool Is##Name(const Status& status) {                                                                     \
    return status.code() == error::CODE;                                                                           \
  }

OPSRUN_ERROR_CODES(OPSRUN_ERROR)
#undef OPSRUN_ERROR
#undef OPSRUN_ERROR_CODES
}  // namespace errors

}  // namespace OPSRUN_HIDDEN

// Returns the status from the enclosing function unless it is OK. Variadic, so that the argument may contain commas in
// braces.
#define TF_RETURN_IF_ERROR(...)                                       \
  do {                                                                \
    ::OPSRUN_NAMESPACE::ReturnedStatus opsrun_status = (__VA_ARGS__); \
    if (TF_PREDICT_FALSE(!opsrun_status.ok())) return opsrun_status;  \
  } while (false)

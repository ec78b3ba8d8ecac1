// host/base/status.h: the result of a function that can fail.
//
// A Status is OK, or one of the codes of c_api.h with a message and, if it is known, the subject at fault ("attr:N",
// "input:x", "output:y"). Result<T> is a T or a Status that is not OK. Both are copyable values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "opsrun/c_api.h"

namespace opsrun::host {

class [[nodiscard]] Status {
 public:
  Status() = default;  // OK
  Status(int code, std::string message, std::string subject = {})
      : code_(code), message_(std::move(message)), subject_(std::move(subject)) {}

  bool ok() const { return code_ == OPSRUN_OK; }
  int code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& subject() const { return subject_; }

 private:
  int code_ = OPSRUN_OK;
  std::string message_;
  std::string subject_;
};

inline Status OkStatus() {
  return {};
}
inline Status InvalidArgument(std::string message, std::string subject = {}) {
  return {OPSRUN_INVALID_ARGUMENT, std::move(message), std::move(subject)};
}
inline Status NotFound(std::string message) {
  return {OPSRUN_NOT_FOUND, std::move(message)};
}
inline Status ResourceExhausted(std::string message) {
  return {OPSRUN_RESOURCE_EXHAUSTED, std::move(message)};
}
inline Status FailedPrecondition(std::string message) {
  return {OPSRUN_FAILED_PRECONDITION, std::move(message)};
}
inline Status Unimplemented(std::string message) {
  return {OPSRUN_UNIMPLEMENTED, std::move(message)};
}
inline Status Internal(std::string message) {
  return {OPSRUN_INTERNAL, std::move(message)};
}

inline constexpr const char* kCodeNames[] = {
    "OK",        "CANCELLED",       "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS",  "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",    "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED",
};
static_assert(std::size(kCodeNames) == OPSRUN_UNAUTHENTICATED + 1);

// The code, or UNKNOWN for a number that is not a code; a plugin may return any number.
inline int KnownCode(int code) {
  return code < 0 || code > OPSRUN_UNAUTHENTICATED ? OPSRUN_UNKNOWN : code;
}

// The name of a code in messages: "INVALID_ARGUMENT", or "code 99" for an unknown one.
inline std::string CodeName(int code) {
  return KnownCode(code) == code ? kCodeNames[code] : "code " + std::to_string(code);
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                  // NOLINT: return value;
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }  // NOLINT: return InvalidArgument(..);

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  // Requires: ok().
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace opsrun::host

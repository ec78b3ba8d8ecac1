// opsrun_absl/status.h: absl::Status, which is the SDK's Status, and absl::StatusCode, which is error::Code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/status.h"
#include "opsrun_absl/numeric.h"
#include "opsrun_absl/str_cat.h"
#include "opsrun_absl/utility.h"

OPSRUN_ABSL_BEGIN

using Status = ::OPSRUN_NAMESPACE::Status;
using StatusCode = ::OPSRUN_NAMESPACE::error::Code;

inline Status OkStatus() {
  return {};
}
inline std::string StatusCodeToString(StatusCode code) {
  return ::OPSRUN_NAMESPACE::internal::CodeName(code);
}

#define OPSRUN_ABSL_ERROR(Name, kCode)                  \
  inline Status Name##Error(std::string_view message) { \
    return Status(StatusCode::kCode, message);          \
  }                                                     \
  inline bool Is##Name(const Status& status) {          \
    return status.code() == StatusCode::kCode;          \
  }
OPSRUN_ABSL_ERROR(Cancelled, kCancelled)
OPSRUN_ABSL_ERROR(Unknown, kUnknown)
OPSRUN_ABSL_ERROR(InvalidArgument, kInvalidArgument)
OPSRUN_ABSL_ERROR(DeadlineExceeded, kDeadlineExceeded)
OPSRUN_ABSL_ERROR(NotFound, kNotFound)
OPSRUN_ABSL_ERROR(AlreadyExists, kAlreadyExists)
OPSRUN_ABSL_ERROR(PermissionDenied, kPermissionDenied)
OPSRUN_ABSL_ERROR(ResourceExhausted, kResourceExhausted)
OPSRUN_ABSL_ERROR(FailedPrecondition, kFailedPrecondition)
OPSRUN_ABSL_ERROR(Aborted, kAborted)
OPSRUN_ABSL_ERROR(OutOfRange, kOutOfRange)
OPSRUN_ABSL_ERROR(Unimplemented, kUnimplemented)
OPSRUN_ABSL_ERROR(Internal, kInternal)
OPSRUN_ABSL_ERROR(Unavailable, kUnavailable)
OPSRUN_ABSL_ERROR(DataLoss, kDataLoss)
OPSRUN_ABSL_ERROR(Unauthenticated, kUnauthenticated)
#undef OPSRUN_ABSL_ERROR

// A value, or the reason of its absence. Access to the value of a failure fails the running call with that status.

template <typename T>
class StatusOr {
 public:
  typedef T value_type;

  StatusOr() : status_(StatusCode::kUnknown, "") {}
  StatusOr(const Status& status) : status_(status.ok() ? OkIsNoValue() : status) {}
  StatusOr(Status&& status) : status_(status.ok() ? OkIsNoValue() : std::move(status)) {}
  template <typename U = T,
            typename = std::enable_if_t<std::is_constructible_v<T, U&&> && !std::is_same_v<std::decay_t<U>, Status> &&
                                        !std::is_same_v<std::decay_t<U>, StatusOr>>>
  StatusOr(U&& value) : value_(std::in_place, std::forward<U>(value)) {}
  template <typename U, typename = std::enable_if_t<std::is_constructible_v<T, U&&> && !std::is_same_v<T, U>>>
  StatusOr(StatusOr<U> other) : status_(other.status()) {
    if (other.ok()) value_.emplace(*std::move(other));
  }
  template <typename... Arguments>
  explicit StatusOr(std::in_place_t, Arguments&&... arguments)
      : value_(std::in_place, std::forward<Arguments>(arguments)...) {}

  bool ok() const { return value_.has_value(); }
  Status status() const { return status_; }
  void IgnoreError() const {}

  const T& value() const& { return Checked(), *value_; }
  T& value() & { return Checked(), *value_; }
  T&& value() && { return Checked(), *std::move(value_); }
  // Names in TensorFlow's StatusOr, from before abseil had this class.
  const T& ValueOrDie() const& { return value(); }
  T& ValueOrDie() & { return value(); }
  T&& ValueOrDie() && { return std::move(*this).value(); }
  T ConsumeValueOrDie() { return std::move(*this).value(); }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  template <typename U>
  T value_or(U&& other) const& {
    return ok() ? *value_ : static_cast<T>(std::forward<U>(other));
  }
  template <typename U>
  T value_or(U&& other) && {
    return ok() ? *std::move(value_) : static_cast<T>(std::forward<U>(other));
  }
  template <typename... Arguments>
  T& emplace(Arguments&&... arguments) {
    status_ = Status();
    return value_.emplace(std::forward<Arguments>(arguments)...);
  }

 private:
  static Status OkIsNoValue() { return InternalError("A StatusOr was made of an OK status, without a value"); }
  void Checked() const {
    if (!ok()) ::OPSRUN_NAMESPACE::internal::Fail(status_);
  }

  Status status_;
  std::optional<T> value_;
};

OPSRUN_ABSL_END

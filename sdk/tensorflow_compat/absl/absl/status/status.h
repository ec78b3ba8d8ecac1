// absl/status/status.h: absl::Status, which is the SDK's Status, and absl::StatusCode, which is error::Code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/base/attributes.h"
#include "absl/base/config.h"
#include "absl/base/optimization.h"
#include "absl/functional/function_ref.h"
#include "absl/numeric/bits.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "opsrun/status.h"

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

OPSRUN_ABSL_END

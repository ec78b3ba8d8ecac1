// opsrun_compat/errors.h: errors of the system, other messages, conversions, and StatusOr in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>

#include "opsrun/op_requires.h"
#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

using absl::StatusOr;

namespace internal {

// The code for an errno; UNKNOWN if it is not listed. Rows end with 0.
OPSRUN_COLD inline error::Code CodeOfErrno(int number) {
  static constexpr struct {
    error::Code code;
    int numbers[20];
  } kRows[] = {
      {error::CANCELLED, {ECANCELED}},
      {error::INVALID_ARGUMENT,
       {EINVAL, ENAMETOOLONG, E2BIG, EFAULT, ENOTTY, ESPIPE, EDOM, EILSEQ, ENOSTR, ENOTSOCK, EDESTADDRREQ, EPROTOTYPE,
        ENOPROTOOPT}},
      {error::DEADLINE_EXCEEDED, {ETIMEDOUT, ETIME}},
      {error::NOT_FOUND, {ENOENT, ENODEV, ENXIO, ESRCH}},
      {error::ALREADY_EXISTS, {EEXIST, EADDRNOTAVAIL, EALREADY}},
      {error::PERMISSION_DENIED, {EPERM, EACCES, EROFS}},
      {error::RESOURCE_EXHAUSTED, {ENOMEM, ENOSPC, EDQUOT, EMFILE, ENFILE, EMLINK, ENOBUFS, ENODATA, ENOSR, EUSERS}},
      {error::FAILED_PRECONDITION,
       {ENOTDIR, EISDIR, ENOTEMPTY, EBUSY, EBADF, ETXTBSY, ECHILD, ENOTBLK, EPIPE, EADDRINUSE, EISCONN, ENOTCONN,
        ESHUTDOWN}},
      {error::ABORTED, {EDEADLK, ESTALE}},
      {error::OUT_OF_RANGE, {EFBIG, ERANGE, EOVERFLOW}},
      {error::UNIMPLEMENTED, {ENOSYS, ENOTSUP, EXDEV, EPROTONOSUPPORT, ESOCKTNOSUPPORT, EPFNOSUPPORT, EAFNOSUPPORT}},
      {error::UNAVAILABLE,
       {EAGAIN, EINTR, ENOLCK, ENONET, ENOLINK, ENETDOWN, ENETUNREACH, ENETRESET, ECONNABORTED, ECONNRESET,
        ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH}},
  };
  if (number == 0) return error::OK;
  for (const auto& row : kRows) {
    for (const int* listed = row.numbers; *listed != 0; ++listed) {
      if (*listed == number) return row.code;
    }
  }
  return error::UNKNOWN;
}

}  // namespace internal

namespace errors {

// The failure for an errno, with its text after the caller's. OK: the number is 0.
OPSRUN_COLD inline ReturnedStatus IOError(const std::string& context, int number) {
  return Status(internal::CodeOfErrno(number), context + "; " + strerror(number));
}

// The same failure with another message. OK is unchanged.
OPSRUN_COLD inline ReturnedStatus CreateWithUpdatedMessage(const Status& status, std::string_view message) {
  return Status(status.code(), message).Blame(status.subject());
}

// The name of a node in messages.
inline std::string FormatNodeNameForError(std::string_view name) {
  return "node '" + std::string(name) + "'";
}

}  // namespace errors

namespace internal {
// A separate class only in sources that are compiled with abseil itself. Without OPSRUN_ABSL, and without the layer on
// the include path, an installed abseil may be included, which nothing here converts to.
#ifdef OPSRUN_ABSL
using StatusOfAbsl = absl::Status;
#else
using StatusOfAbsl = Status;
#endif
}  // namespace internal

inline Status FromAbslStatus(const internal::StatusOfAbsl& status) {
  return status;
}
inline internal::StatusOfAbsl ToAbslStatus(const Status& status) {
  return status;
}

// The message as a C string, which is valid as long as the status.
inline const char* NullTerminatedMessage(const Status& status) {
  return status.message().c_str();
}
#ifdef OPSRUN_ABSL
inline const char* NullTerminatedMessage(const absl::Status& status) {
  return status.message().empty() ? "" : status.message().data();
}
#endif

}  // namespace OPSRUN_HIDDEN

// severity: FATAL or QFATAL, which are equivalent.
#define TF_DO_CHECK_OK(expression, severity) TF_CHECK_OK(expression)

// TF_EXPECT_OK and TF_ASSERT_OK, for tests with GoogleTest, which they include.

#define TF_EXPECT_OK(...) EXPECT_EQ(::OPSRUN_NAMESPACE::Status(), ::OPSRUN_NAMESPACE::Status(__VA_ARGS__))
#define TF_ASSERT_OK(...) ASSERT_EQ(::OPSRUN_NAMESPACE::Status(), ::OPSRUN_NAMESPACE::Status(__VA_ARGS__))

#define OPSRUN_UNIQUE(prefix, counter) OPSRUN_UNIQUE_JOINED(prefix, counter)
#define OPSRUN_UNIQUE_JOINED(prefix, counter) prefix##counter

// Sets `left`, which may be a declaration, to the value of a StatusOr, or returns its status.
#define TF_ASSIGN_OR_RETURN(left, ...) \
  OPSRUN_ASSIGN_OR_RETURN(OPSRUN_UNIQUE(opsrun_or_status_, __COUNTER__), left, __VA_ARGS__)
#define OPSRUN_ASSIGN_OR_RETURN(name, left, ...)          \
  auto name = (__VA_ARGS__);                              \
  if (TF_PREDICT_FALSE(!name.ok())) return name.status(); \
  left = std::move(name).value()

// The same in a kernel: fails the call and returns.
#define OP_REQUIRES_VALUE(left, ctx, ...) \
  OPSRUN_REQUIRES_VALUE(OPSRUN_UNIQUE(opsrun_or_status_, __COUNTER__), left, ctx, __VA_ARGS__)
#define OPSRUN_REQUIRES_VALUE(name, left, ctx, ...) \
  auto name = (__VA_ARGS__);                        \
  OP_REQUIRES_OK(ctx, name.status());               \
  left = std::move(name).value()

// opsrun/op_requires.h: how kernels check: OP_REQUIRES, OP_REQUIRES_OK, FastBoundsCheck, and context for a failure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include "opsrun/namespace.h"
#include "opsrun/status.h"

// OP_REQUIRES and OP_REQUIRES_OK fail a kernel's constructor or call and return from it. For functions that return
// void. The condition is evaluated once; the status of OP_REQUIRES is evaluated only if the condition is false.
#define OP_REQUIRES(CTX, EXP, STATUS)                  \
  do {                                                 \
    if (!TF_PREDICT_TRUE(EXP)) {                       \
      (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS)); \
      return;                                          \
    }                                                  \
  } while (0)

// Variadic, so that the argument may contain commas in braces.
#define OP_REQUIRES_OK(CTX, ...)                              \
  do {                                                        \
    ::OPSRUN_NAMESPACE::Status opsrun_status = (__VA_ARGS__); \
    if (TF_PREDICT_FALSE(!opsrun_status.ok())) {              \
      (CTX)->CtxFailure(__FILE__, __LINE__, opsrun_status);   \
      return;                                                 \
    }                                                         \
  } while (0)

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// True if 0 <= index < limit; a single comparison. Requires: limit >= 0.
template <typename Index, typename Limit>
bool FastBoundsCheck(Index index, Limit limit) {
  static_assert(std::is_integral_v<Index> && std::is_integral_v<Limit>, "an index and a limit are whole numbers");
  typedef std::make_unsigned_t<std::common_type_t<Index, Limit>> Unsigned;
  return TF_PREDICT_TRUE(static_cast<Unsigned>(index) < static_cast<Unsigned>(limit));
}

namespace internal {

// Reads the value exactly once, because other threads may change the memory at the same time.
template <typename T>
T SubtleMustCopy(const T& value) {
  static_assert(std::is_integral_v<T>, "only whole numbers are checked and then used");
  return *static_cast<const volatile T*>(&value);
}

}  // namespace internal

namespace errors {

// Adds a line to the message; the subject at fault is unchanged. Does nothing if the status is OK.
template <typename... Pieces>
OPSRUN_COLD void AppendToMessage(Status* status, const Pieces&... pieces) {
  if (status->ok()) return;
  const std::string subject = status->subject();
  *status = Status(status->code(), status->message() + "\n\t" + internal::Join({internal::AsPiece(pieces)...}))
                .Blame(subject);
}

}  // namespace errors
}  // namespace OPSRUN_HIDDEN

// Like TF_RETURN_IF_ERROR; also appends the pieces of text to the message.
#define TF_RETURN_WITH_CONTEXT_IF_ERROR(expression, ...)                        \
  do {                                                                          \
    ::OPSRUN_NAMESPACE::Status opsrun_status = (expression);                    \
    if (TF_PREDICT_FALSE(!opsrun_status.ok())) {                                \
      ::OPSRUN_NAMESPACE::errors::AppendToMessage(&opsrun_status, __VA_ARGS__); \
      return ::OPSRUN_NAMESPACE::ReturnedStatus(opsrun_status);                 \
    }                                                                           \
  } while (false)

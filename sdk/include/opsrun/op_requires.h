// opsrun/op_requires.h: how kernels check: OP_REQUIRES, OP_REQUIRES_OK, and context for a failure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

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
#define OP_REQUIRES_OK(CTX, ...)                                         \
  do {                                                                   \
    ::OPSRUN_NAMESPACE::Status opsrun_status = (__VA_ARGS__);            \
    if (TF_PREDICT_FALSE(!opsrun_status.ok())) {                         \
      (CTX)->CtxFailure(__FILE__, __LINE__, ::std::move(opsrun_status)); \
      return;                                                            \
    }                                                                    \
  } while (0)

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

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

// opsrun/status_context.h: adds context to the message of a failure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/status.h"

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

// opsrun/internal/failure.h: aborts the running callback from code that cannot return a status.
//
// An example is access to a tensor with the wrong data type. The trampolines catch the exception and fail the call; the
// process continues. Without exceptions, the message is written to stderr and the process aborts, as on a failed CHECK.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <utility>

#include "opsrun/namespace.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

struct Failure {
  Status status;
};

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

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

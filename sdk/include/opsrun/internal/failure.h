// opsrun/internal/failure.h: gives up the callback that is running, from where no status can be returned.
//
// A wrong data type asked of a tensor, say. The trampolines catch it and fail the call; the process lives. Without
// exceptions there is nothing to catch: the sentence goes to stderr and the process stops, as it would on a failed
// CHECK.
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

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// opsrun/internal/guard.h: runs the author's code at the C boundary, which exceptions must not cross.
//
// This is the only try and catch of the SDK. Without exceptions (-fno-exceptions), it only calls the code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tstring.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

#if defined(__cpp_exceptions)
// Requires: an exception is being handled.
OPSRUN_COLD inline Status StatusOfException() {
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
}
#endif

// Returns the Status that body() returns, or a status for the exception that it throws.
template <typename Body>
__attribute__((always_inline)) inline Status Guarded(Body&& body) {
  const CCopiesScope copies;
#if defined(__cpp_exceptions)
  try {
    return body();
  } catch (...) {
    return StatusOfException();
  }
#else
  return body();
#endif
}

inline opsrun_str Borrow(std::string_view text) {
  return {text.data(), text.size()};
}

// The code that a callback returns for `status`. Reports a failure to the host.
inline int32_t Report(const opsrun_host* host, void* where, const Status& status) {
  if (TF_PREDICT_TRUE(status.ok())) return OPSRUN_OK;
  return host->fail(where, status.code(), Borrow(status.message()), Borrow(status.subject()));
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

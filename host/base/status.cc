// host/base/status.cc: the names of the codes.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/status.h"

#include <iterator>

namespace opsrun::host {
namespace {

constexpr const char* kCodeNames[] = {
    "OK",        "CANCELLED",       "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS",  "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",    "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED",
};
static_assert(std::size(kCodeNames) == OPSRUN_UNAUTHENTICATED + 1);

}  // namespace

std::string CodeName(int code) {
  if (code < 0 || code > OPSRUN_UNAUTHENTICATED) return "code " + std::to_string(code);
  return kCodeNames[code];
}

int KnownCode(int code) {
  return code < 0 || code > OPSRUN_UNAUTHENTICATED ? OPSRUN_UNKNOWN : code;
}

}  // namespace opsrun::host

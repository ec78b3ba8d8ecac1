// host/embed/guard.h: nothing that is thrown crosses the C interface. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "opsrun/embed.h"

namespace opsrun::host {

// What `body` answers; RESOURCE_EXHAUSTED where memory ran out, INTERNAL after anything else that is thrown, and
// INVALID_ARGUMENT without a call if `object`, what a function is about, is null. *report, unless it is null, becomes
// null first.
template <typename Body>
int32_t Guarded(const void* object, opsrun_report** report, Body body) {
  if (report != nullptr) *report = nullptr;
  if (object == nullptr) return OPSRUN_INVALID_ARGUMENT;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return OPSRUN_RESOURCE_EXHAUSTED;
  } catch (...) {
    return OPSRUN_INTERNAL;
  }
}

}  // namespace opsrun::host

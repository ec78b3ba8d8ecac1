// host/embed/guard.h: nothing that is thrown crosses the C interface. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "opsrun/c_api.h"

namespace opsrun::host {

// What `body` answers; RESOURCE_EXHAUSTED where memory ran out, INTERNAL after anything else that is thrown.
template <typename Body>
int32_t Guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return OPSRUN_RESOURCE_EXHAUSTED;
  } catch (...) {
    return OPSRUN_INTERNAL;
  }
}

}  // namespace opsrun::host

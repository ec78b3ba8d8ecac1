// host/run/staged_copy.h: large copies between ordinary CPU memory and a card.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "host/base/status.h"
#include "host/device/device.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {

// Like Device::Copy of a device other than the CPU, from or to it. If the CPU memory is large and not page-locked, the
// threads of the pool copy it through page-locked pieces, each of which the card transfers meanwhile; a driver does
// that with one thread. Returns when the CPU memory is no longer used. pool: null: the caller's thread alone.
Status CopyStaged(ThreadPool* pool, Device& device, Device::Direction direction, void* to, const void* from,
                  size_t bytes, Stream stream);

}  // namespace opsrun::host

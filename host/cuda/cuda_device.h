// host/cuda/cuda_device.h: a CUDA card as a device: memory in the order of streams, copies, events.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/status.h"
#include "host/device/device.h"

namespace opsrun::host {

// Card `number`, as the driver counts those that CUDA_VISIBLE_DEVICES leaves. It works in the card's primary context,
// which the CUDA runtimes of plugins use, too. Of a failure, the message says what is missing, and the subject what to
// do. keeper: is asked for memory when the card, or page-locked memory, runs out of it.
Result<std::unique_ptr<Device>> OpenCudaDevice(int number, std::weak_ptr<MemoryKeeper> keeper = {});

}  // namespace opsrun::host

// host/device/limited_device.h: a device that gives out no more than so much memory at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "host/device/device.h"

namespace opsrun::host {

// `device` with a limit on the sum of what is allocated and not freed; what lies above is answered with null.
std::unique_ptr<Device> LimitMemory(std::unique_ptr<Device> device, size_t bytes);

}  // namespace opsrun::host

// host/run/host_table.h: the functions that plugins may call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/device/device.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The one constant table of this program. Every slot is set; what this version does not offer answers
// OPSRUN_UNIMPLEMENTED.
const opsrun_host* HostTable();

// The same, but what kernels keep, and what they allocate while they are made, is the device's memory. A new table at
// each call, which lives as long as the process; the device outlives all kernels.
const opsrun_host* NewHostTable(Device& device);

}  // namespace opsrun::host

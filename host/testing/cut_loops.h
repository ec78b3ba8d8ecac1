// host/testing/cut_loops.h: a host whose loops are cut in the ways that are worst for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/device/device.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The host's table, on which parallel_for runs on the calling thread, in odd parts of 1 to 3 indices, the last part
// first, and num_threads is 4. What a kernel gives may not depend on how its loops are cut; here it cannot be lucky. Of
// the device as NewHostTable.
const opsrun_host* HostThatCutsLoops(Device& device);

}  // namespace opsrun::host

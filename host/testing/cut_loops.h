// host/testing/cut_loops.h: a host whose loops are cut in the ways that are worst for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"

namespace opsrun::host {

// Makes parallel_for run on the calling thread, in odd parts of 1 to 3 indices, the last part first, and num_threads
// answer 4. What a kernel gives may not depend on how its loops are cut; here it cannot be lucky.
void CutLoops(opsrun_host& host);

}  // namespace opsrun::host

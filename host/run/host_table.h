// host/run/host_table.h: the functions that plugins may call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"

namespace opsrun::host {

// The one constant table of this program. Every slot is set; what this version does not offer answers
// OPSRUN_UNIMPLEMENTED.
const opsrun_host* HostTable();

}  // namespace opsrun::host

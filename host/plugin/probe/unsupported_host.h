// host/plugin/probe/unsupported_host.h: a host table for plugins that are only opened: all functions report that this
// host does not support them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"

namespace opsrun::host {

opsrun_host UnsupportedSlots();

}  // namespace opsrun::host

// host/plugin/probe/unsupported_host.h: a host table for plugins that are only opened: every function is there, and
// says that this host does not support it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"

namespace opsrun::host {

opsrun_host UnsupportedSlots();

}  // namespace opsrun::host

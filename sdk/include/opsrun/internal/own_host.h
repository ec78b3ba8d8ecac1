// opsrun/internal/own_host.h: the host that loaded this plugin last, for lines of the log that are about no call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"

// Null before the entry has returned, and after that host has shut the plugin down.
inline OPSRUN_HIDDEN std::atomic<const opsrun_host*> opsrun_sdk_host{nullptr};

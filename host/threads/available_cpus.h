// host/threads/available_cpus.h: how many processors this process may use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opsrun::host {

// The minimum of the affinity mask and the CPU quotas of the control groups of this process, rounded up to whole
// processors; at least 1. `root` is a prefix for /proc and /sys, "" for the real ones.
int AvailableCpus(const std::string& root = "");

}  // namespace opsrun::host

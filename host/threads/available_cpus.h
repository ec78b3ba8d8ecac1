// host/threads/available_cpus.h: how many processors this process may use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opsrun::host {

// The least of the affinity mask and the CPU quotas of the control groups that this process is in, rounded up to whole
// processors; at least 1. `root` is where /proc and /sys are looked for, "" for the real ones.
int AvailableCpus(const std::string& root = "");

}  // namespace opsrun::host

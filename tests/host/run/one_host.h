// tests/host/run/one_host.h: the host table of tests that need no engine around it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/device/device.h"
#include "host/run/host_table.h"

namespace opsrun::host {

inline const opsrun_host* HostTable() {
  static const std::shared_ptr<const opsrun_host> table = MakeHostTable(OpenCpuDevice());
  return table.get();
}

}  // namespace opsrun::host

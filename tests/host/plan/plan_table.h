// tests/host/plan/plan_table.h: a host table for planning alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/plan/infer_shapes.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The slots of shape functions, and no more.
inline const opsrun_host* PlanTable() {
  static const opsrun_host table = [] {
    opsrun_host host{};
    host.size = sizeof(opsrun_host);
    host.level = OPSRUN_LEVEL;
    host.fail = [](void*, int32_t code, opsrun_str, opsrun_str) { return code; };
    SetShapeSlots(host);
    return host;
  }();
  return &table;
}

}  // namespace opsrun::host

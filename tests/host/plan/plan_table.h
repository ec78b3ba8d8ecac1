// tests/host/plan/plan_table.h: what shape functions call in tests without an engine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/plan/call_arrays.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// A host table for planning alone, with the slots of shape functions.
inline const opsrun_host* PlanTable() {
  static const opsrun_host table = [] {
    opsrun_host host{};
    host.size = sizeof(opsrun_host);
    host.level = OPSRUN_LEVEL;
    host.fail = [](const opsrun_host*, void*, int32_t code, opsrun_str, opsrun_str) { return code; };
    SetShapeSlots(host);
    return host;
  }();
  return &table;
}

}  // namespace opsrun::host

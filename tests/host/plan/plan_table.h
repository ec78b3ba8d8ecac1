// tests/host/plan/plan_table.h: a host table for planning alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/plan/infer_shapes.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The slots that shape functions here use, and no more.
inline const opsrun_host* PlanTable() {
  static const opsrun_host table = [] {
    opsrun_host host{};
    host.size = sizeof(opsrun_host);
    host.level = OPSRUN_LEVEL;
    host.fail = [](void*, int32_t code, opsrun_str, opsrun_str) { return code; };
    host.set_output_shape = [](opsrun_shape_call* call, uint32_t i, const opsrun_shape* shape) {
      return static_cast<ShapeCall*>(call)->SetOutput(i, shape);
    };
    host.want_value = [](opsrun_shape_call* call, uint32_t i, const opsrun_tensor** value, const opsrun_shape** shape) {
      return static_cast<ShapeCall*>(call)->WantValue(i, value, shape);
    };
    host.equate = [](opsrun_shape_call* call, const opsrun_dim* a, const opsrun_dim* b) {
      return static_cast<ShapeCall*>(call)->Equate(a, b);
    };
    host.make_dim = [](opsrun_shape_call* call, int64_t value, const opsrun_dim** dim) {
      return static_cast<ShapeCall*>(call)->MakeDim(value, dim);
    };
    host.make_shape = [](opsrun_shape_call* call, int32_t rank, const opsrun_dim* const* dims,
                         const opsrun_shape** shape) {
      return static_cast<ShapeCall*>(call)->MakeShape(rank, dims, shape);
    };
    host.set_output_value = [](opsrun_shape_call* call, uint32_t i, const opsrun_shape* shape) {
      return static_cast<ShapeCall*>(call)->SetOutputValue(i, shape);
    };
    return host;
  }();
  return &table;
}

}  // namespace opsrun::host

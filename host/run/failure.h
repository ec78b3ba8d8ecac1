// host/run/failure.h: ends a run at the first step whose output has a NaN. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/run/call_slots.h"

namespace opsrun::host {

// Wraps a step and checks its outputs. Only lanes created with nan_check have these.
class NanCheck {
 public:
  // compute, object: of the step, which is called first.
  NanCheck(CallSlots& slots, int32_t (*compute)(void*, opsrun_call*), void* object)
      : slots_(slots), compute_(compute), object_(object) {}
  NanCheck(const NanCheck&) = delete;

  // The compute of a LaneStep whose object is a NanCheck.
  static int32_t Run(void* check, opsrun_call* call);

 private:
  int32_t Look(opsrun_call* call) const;

  CallSlots& slots_;
  int32_t (*const compute_)(void*, opsrun_call*);
  void* const object_;
};

}  // namespace opsrun::host

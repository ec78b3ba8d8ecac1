// host/run/failure.h: ends a run at the first step whose output has a NaN. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/run/lane_impl.h"

namespace opsrun::host {

// Wraps a step and checks its outputs. Only lanes created with nan_check have these.
class NanCheck {
 public:
  // step: called first.
  NanCheck(Lane::Impl& lane, const LaneStep& step) : lane_(lane), compute_(step.compute), object_(step.object) {}
  NanCheck(const NanCheck&) = delete;

  // The compute of a LaneStep whose object is a NanCheck.
  static int32_t Run(void* check, opsrun_call* call);

 private:
  int32_t Look(opsrun_call* call) const;

  Lane::Impl& lane_;
  int32_t (*const compute_)(void*, opsrun_call*);
  void* const object_;
};

}  // namespace opsrun::host

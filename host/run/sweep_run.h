// host/run/sweep_run.h: runs the steps of a sweep, tile by tile. Private to this room.
//
// Each thread has calls of its own for the steps, with views of the tile that it works on. In the loop over steps, the
// first step runs all of them; each of the others then only returns how its calls have ended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/plan/plan.h"
#include "host/run/call_slots.h"
#include "host/run/lane.h"
#include "host/run/lane_memory.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

class StepLoop;
struct LaneStep;

class SweepRun {
 public:
  // The parts of the lane must outlive this object. steps: the loop's list, of which the sweep's steps are replaced.
  SweepRun(const Sweep& sweep, const LaneMemory& memory, CallSlots& slots, StepLoop& loop, LaneStep* steps);
  SweepRun(const SweepRun&) = delete;
  ~SweepRun();

  uint32_t first() const { return sweep_.first; }
  // Adds the steps that threads are in; false if there are none. From any thread.
  bool AddRunning(std::vector<RunningStep>& running) const;
  // Divides the time of the first step, which is that of all, in proportion to what each has taken.
  void DivideTime(RunTimes& times) const;

 private:
  struct Member {
    SweepRun* sweep = nullptr;
    std::atomic<int32_t> code{OPSRUN_OK};
  };
  class Thread;

  static int32_t RunAll(void* member, opsrun_call* call);
  static int32_t ReturnCode(void* member, opsrun_call* call);

  const Sweep sweep_;
  const LaneMemory& memory_;
  CallSlots& slots_;
  StepLoop& loop_;
  const std::unique_ptr<Member[]> members_;
  std::atomic<int64_t> tile_ns_{100'000};         // what a tile takes, as measured last
  std::vector<std::unique_ptr<Thread>> threads_;  // the caller's, then the workers'
};

}  // namespace opsrun::host

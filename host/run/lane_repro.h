// host/run/lane_repro.h: keeps the inputs of the steps that a lane runs: see repro.h. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/run/call_slots.h"
#include "host/run/lane.h"
#include "host/run/repro.h"

namespace opsrun::host {

struct LaneStep;

class LaneRepro {
 public:
  // From now on, steps that have a node keep their inputs. All of these must outlive this object. threads: that may run
  // steps.
  LaneRepro(CallSlots& slots, const ReproNodes& nodes, ReproFolder& folder, std::vector<LaneStep>& steps, int threads);
  LaneRepro(const LaneRepro&) = delete;

  // Writes the folder if this is the first failure, and says so in *failure. On the thread that ran the step.
  void Write(RunFailure& failure, int thread);
  // For crash reports; null if the thread does not run the kernel of the step. Async-signal-safe.
  RunningNode OnThread(uint32_t step, int thread) const;
  // The same for any thread.
  RunningNode OfStep(uint32_t step) const;

 private:
  // Wraps a step.
  struct Kept {
    LaneRepro* lane = nullptr;
    const ReproNode* node = nullptr;
    int32_t (*compute)(void*, opsrun_call*) = nullptr;
    void* object = nullptr;
  };
  static int32_t Run(void* kept, opsrun_call* call);

  CallSlots& slots_;
  ReproFolder& folder_;
  const int threads_;
  std::vector<Kept> kept_;                        // by step
  const std::unique_ptr<ReproRecord[]> records_;  // by thread
};

}  // namespace opsrun::host

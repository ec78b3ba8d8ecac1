// host/engine/idle_lanes.h: the lanes of an engine's prepared plans that nobody runs now, kept for later calls.
//
// They hold frames, views and small memory; large memory is given back to its device (Lane::Rest). Of all plans
// together they hold at most kMostBytes, without those of the plan that was used last; then, and when a device is out
// of memory, lanes of the plans that were not used for the longest time are destroyed. Lanes that run count, and stay.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "host/device/device.h"
#include "host/run/lane.h"

namespace opsrun::host {

// Any thread.
class IdleLanes final : public MemoryKeeper {
 public:
  static constexpr size_t kMostBytes = size_t{256} << 20;

  // Those of one plan, which must outlive it.
  class OfPlan {
   public:
    explicit OfPlan(std::shared_ptr<IdleLanes> all);
    OfPlan(const OfPlan&) = delete;
    ~OfPlan();

    // A lane, and the bytes that are counted for it.
    struct Counted {
      std::unique_ptr<Lane> lane;
      size_t bytes = 0;
    };

    // The lane that was returned last; null if there is none. It rests: see Lane::Wake.
    Counted Take();
    // Keeps one that was taken, or a new one.
    void Return(Counted lane);
    // Destroys one that was taken.
    void Drop(Counted lane);

   private:
    friend class IdleLanes;

    void MoveTo(std::vector<Counted>& out);

    const std::shared_ptr<IdleLanes> all_;
    std::atomic<uint64_t> last_run_{0};
    std::mutex mutex_;  // guards idle_; locked after that of all
    std::vector<Counted> idle_;
  };

  // Destroys all.
  bool GiveUpMemory() override { return Shrink(0, nullptr); }
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  // Until at most so many bytes are left, except for the lanes of one plan. False if there is nothing to destroy.
  bool Shrink(size_t most, const OfPlan* except);

  std::atomic<size_t> bytes_{0};
  std::mutex mutex_;  // guards plans_
  std::set<OfPlan*> plans_;
};

}  // namespace opsrun::host

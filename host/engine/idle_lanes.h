// host/engine/idle_lanes.h: lanes of an engine's callable plans that are not running, kept for later calls.
//
// They keep frames, views and small memory; large memory goes back to its device (Lane::Rest). All plans together keep
// at most kMostBytes, not counting the plan that was used last. Beyond that, or when a device is out of memory, lanes
// of the least recently used plans are destroyed. Running lanes are counted but never destroyed.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "host/device/device.h"
#include "host/run/lane.h"

namespace opsrun::host {

// Any thread.
class IdleLanes final : public MemoryKeeper {
 public:
  static constexpr size_t kMostBytes = size_t{256} << 20;

  // The idle lanes of one plan, which must outlive this object.
  class OfPlan {
   public:
    explicit OfPlan(std::shared_ptr<IdleLanes> all);
    OfPlan(const OfPlan&) = delete;
    ~OfPlan();

    // A lane with the bytes counted for it.
    struct Counted {
      std::unique_ptr<Lane> lane;
      size_t bytes = 0;
    };

    // The lane that was returned last; null if there is none. It may be resting: see Lane::Wake.
    Counted Take();
    // Keeps a lane that was taken, or a new one.
    void Return(Counted lane);
    // Destroys a lane that was taken.
    void Drop(Counted lane);

   private:
    friend class IdleLanes;

    void MoveTo(std::vector<Counted>& out);

    const std::shared_ptr<IdleLanes> all_;
    std::atomic<uint64_t> last_run_{0};
    std::mutex mutex_;  // guards idle_; locked after IdleLanes::mutex_
    std::vector<Counted> idle_;
  };

  // Destroys all idle lanes.
  bool GiveUpMemory() override { return Shrink(0, nullptr); }
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  // Destroys lanes, except those of one plan, until at most so many bytes are left. False if there were none.
  bool Shrink(size_t most, const OfPlan* except);

  std::atomic<size_t> bytes_{0};
  std::mutex mutex_;  // guards plans_
  std::set<OfPlan*> plans_;
};

}  // namespace opsrun::host

// host/run/lane_pool.h: the lanes of a plan, for concurrent callers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <semaphore>
#include <utility>
#include <vector>

#include "host/run/lane.h"

namespace opsrun::host {

// Any number of threads may borrow lanes; when all are in use, the caller waits.
class LanePool {
 public:
  // A lane, borrowed for the lifetime of this object. Feeds that an earlier borrower set are still set.
  class Lease {
   public:
    Lease(LanePool& pool, Lane* lane) : pool_(&pool), lane_(lane) {}
    Lease(Lease&& other) noexcept : pool_(other.pool_), lane_(std::exchange(other.lane_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (lane_ != nullptr) pool_->Return(lane_);
    }
    Lane& operator*() const { return *lane_; }
    Lane* operator->() const { return lane_; }

   private:
    LanePool* pool_;
    Lane* lane_;
  };

  // RESOURCE_EXHAUSTED: not enough memory for `count` lanes. The objects in `context` must outlive the pool.
  static Result<std::unique_ptr<LanePool>> Create(const Plan& plan, const LaneContext& context, size_t count);
  LanePool(const LanePool&) = delete;

  // Waits until a lane is free.
  Lease Borrow();

  // All lanes, for setup before the first Borrow, and for inspection while they run.
  const std::vector<std::unique_ptr<Lane>>& lanes() const { return lanes_; }

 private:
  LanePool() = default;
  void Return(Lane* lane);

  std::vector<std::unique_ptr<Lane>> lanes_;
  std::mutex mutex_;  // guards free_
  // Not a condition variable: see ThreadPool::Sleep.
  std::counting_semaphore<> free_count_{0};
  std::vector<Lane*> free_;
};

}  // namespace opsrun::host

// host/run/lane_pool.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane_pool.h"

namespace opsrun::host {

Result<std::unique_ptr<LanePool>> LanePool::Create(const Plan& plan, const LaneContext& context, size_t count) {
  std::unique_ptr<LanePool> pool(new LanePool);
  for (size_t i = 0; i < count; ++i) {
    Result<std::unique_ptr<Lane>> lane = Lane::Create(plan, context);
    if (!lane.ok()) return lane.status();
    pool->lanes_.push_back(*std::move(lane));
  }
  // Return in reverse order, so that the first lane is borrowed first.
  for (auto lane = pool->lanes_.rbegin(); lane != pool->lanes_.rend(); ++lane) pool->Return(lane->get());
  return pool;
}

LanePool::Lease LanePool::Borrow() {
  free_count_.acquire();
  const std::lock_guard<std::mutex> lock(mutex_);
  Lane* lane = free_.back();
  free_.pop_back();
  return {*this, lane};
}

void LanePool::Return(Lane* lane) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(lane);
  }
  free_count_.release();
}

}  // namespace opsrun::host

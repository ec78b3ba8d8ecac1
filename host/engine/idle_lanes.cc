// host/engine/idle_lanes.cc: the lanes that plans keep for later calls.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

#include "host/engine/callable_plan.h"

namespace opsrun::host {

IdleLanes::OfPlan::Counted IdleLanes::OfPlan::Place::Take() {
  Lane* lane = lane_.load(std::memory_order_relaxed);
  if (lane == nullptr || lane == Busy()) return {};
  if (!lane_.compare_exchange_strong(lane, Busy(), std::memory_order_acquire)) return {};
  Counted taken{std::unique_ptr<Lane>(lane), bytes_};
  lane_.store(nullptr, std::memory_order_release);
  return taken;
}

bool IdleLanes::OfPlan::Place::Put(Counted& counted) {
  Lane* none = nullptr;
  if (!lane_.compare_exchange_strong(none, Busy(), std::memory_order_acquire)) return false;
  bytes_ = counted.bytes;
  lane_.store(counted.lane.release(), std::memory_order_release);
  return true;
}

template <typename Fn>
bool IdleLanes::OfPlan::AnyPlace(const Fn& fn) {
  const size_t first = std::hash<std::thread::id>()(std::this_thread::get_id());
  for (size_t i = 0; i < kMostLanes; ++i) {
    if (fn(idle_[(first + i) % kMostLanes])) return true;
  }
  return false;
}

IdleLanes::OfPlan::OfPlan(const PlannedGraph& planned)
    : planned_(planned), all_(planned.loaded().engine().idle_lanes()) {
  const std::lock_guard<std::mutex> lock(all_->mutex_);
  all_->plans_.insert(this);
}

IdleLanes::OfPlan::~OfPlan() {
  const std::lock_guard<std::mutex> lock(all_->mutex_);
  all_->plans_.erase(this);
  std::vector<Counted> out;
  MoveTo(out);
}

IdleLanes::OfPlan::Counted IdleLanes::OfPlan::Take() {
  Counted taken;
  AnyPlace([&](Place& place) { return (taken = place.Take()).lane != nullptr; });
  return taken;
}

IdleLanes::OfPlan::Counted IdleLanes::OfPlan::TakePending() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (pending_.empty()) return {};
  Counted last = std::move(pending_.back());
  pending_.pop_back();
  return last;
}

void IdleLanes::OfPlan::ReturnPending(Counted lane) {
  const std::lock_guard<std::mutex> lock(mutex_);
  pending_.push_back(std::move(lane));
}

std::optional<RunFailure> IdleLanes::OfPlan::Wait() {
  std::vector<Counted> pending;
  std::optional<RunFailure> first;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pending.swap(pending_);
    first = std::exchange(late_, std::nullopt);
  }
  for (Counted& lane : pending) {
    std::optional<RunFailure> failure = lane.lane->Finish();
    if (!first) first = std::move(failure);
    Return(std::move(lane));
  }
  return first;
}

// On the fast path of every call: usually nothing has changed.
void IdleLanes::OfPlan::Return(Counted lane) {
  const size_t before = lane.bytes;
  if (before == 0 || !lane.lane->is_light()) {
    lane.lane->Rest(/*arena=*/true);
    lane.bytes = lane.lane->MemoryBytes();
  }
  const size_t bytes = lane.bytes;
  if (bytes != before) all_->bytes_ += bytes - before;
  last_run_.store(lane.lane->LastRun(), std::memory_order_relaxed);
  if (!AnyPlace([&](Place& place) { return place.Put(lane); })) return Drop(std::move(lane));
  if (bytes != before && all_->bytes() > kMostBytes) (void)all_->Shrink(kMostBytes / 2, this);
}

void IdleLanes::OfPlan::Drop(Counted lane) {
  all_->bytes_ -= lane.bytes;
}

void IdleLanes::OfPlan::MoveTo(std::vector<Counted>& out) {
  for (Place& place : idle_) {
    Counted idle = place.Take();
    all_->bytes_ -= idle.bytes;
    if (idle.lane != nullptr) out.push_back(std::move(idle));
  }
}

// Under the lock, so that nobody who waits misses a failure.
void IdleLanes::OfPlan::MovePendingTo(std::vector<Counted>& out) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Counted& pending : pending_) {
    std::optional<RunFailure> failure = pending.lane->Finish();
    if (!late_) late_ = std::move(failure);
    all_->bytes_ -= pending.bytes;
    out.push_back(std::move(pending));
  }
  pending_.clear();
}

// The number of the run; the highest number if there is none.
uint64_t IdleLanes::OfPlan::FirstUnfinished() {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t first = UINT64_MAX;
  for (const Counted& pending : pending_) {
    if (!pending.lane->Running().empty()) first = std::min(first, pending.lane->LastRun());
  }
  return first;
}

std::optional<RunFailure> IdleLanes::OfPlan::FailureOf(uint64_t run) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      std::ranges::find_if(pending_, [run](const Counted& pending) { return pending.lane->LastRun() == run; });
  return found == pending_.end() ? std::nullopt : found->lane->Finish();
}

bool IdleLanes::TellCause(const std::function<void(const PlannedGraph&, const RunFailure&)>& tell) {
  const std::lock_guard<std::mutex> lock(mutex_);
  OfPlan* of = nullptr;
  uint64_t first = UINT64_MAX;
  for (OfPlan* const plan : plans_) {
    const uint64_t run = plan->FirstUnfinished();
    if (run < first) of = plan;
    first = std::min(first, run);
  }
  const std::optional<RunFailure> failure = of == nullptr ? std::nullopt : of->FailureOf(first);
  if (failure) tell(of->planned_, *failure);
  return failure.has_value();
}

// Idle lanes first: the work of pending ones must be awaited.
bool IdleLanes::GiveUpMemory() {
  if (Shrink(0, nullptr)) return true;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<OfPlan::Counted> out;
  for (OfPlan* const plan : plans_) plan->MovePendingTo(out);
  return !out.empty();
}

// Holds the lock until the lanes are destroyed, so that their plans live that long.
bool IdleLanes::Shrink(size_t most, const OfPlan* except) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::pair<uint64_t, OfPlan*>> oldest;
  for (OfPlan* const plan : plans_) oldest.emplace_back(plan->last_run_.load(std::memory_order_relaxed), plan);
  std::sort(oldest.begin(), oldest.end());
  std::vector<OfPlan::Counted> out;
  for (const auto& [last_run, plan] : oldest) {
    if (bytes() <= most) break;
    if (plan != except) plan->MoveTo(out);
  }
  return !out.empty();
}

}  // namespace opsrun::host

// host/engine/idle_lanes.cc: the lanes that plans keep for later calls.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "host/engine/callable_plan.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostLanes = 64;  // per plan

IdleLanes::OfPlan::Counted TakeLast(std::vector<IdleLanes::OfPlan::Counted>& lanes) {
  if (lanes.empty()) return {};
  IdleLanes::OfPlan::Counted last = std::move(lanes.back());
  lanes.pop_back();
  return last;
}

}  // namespace

IdleLanes::OfPlan::OfPlan(const PlannedGraph& planned)
    : planned_(planned), all_(planned.loaded().engine().idle_lanes()) {
  const std::lock_guard<std::mutex> lock(all_->mutex_);
  all_->plans_.insert(this);
}

IdleLanes::OfPlan::~OfPlan() {
  const std::lock_guard<std::mutex> lock(all_->mutex_);
  all_->plans_.erase(this);
  for (const Counted& idle : idle_) all_->bytes_ -= idle.bytes;
}

IdleLanes::OfPlan::Counted IdleLanes::OfPlan::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return TakeLast(idle_);
}

IdleLanes::OfPlan::Counted IdleLanes::OfPlan::TakePending() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return TakeLast(pending_);
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
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.size() < kMostLanes) idle_.push_back(std::move(lane));
  }
  if (lane.lane != nullptr) return Drop(std::move(lane));
  if (bytes != before && all_->bytes() > kMostBytes) (void)all_->Shrink(kMostBytes / 2, this);
}

void IdleLanes::OfPlan::Drop(Counted lane) {
  all_->bytes_ -= lane.bytes;
}

void IdleLanes::OfPlan::MoveTo(std::vector<Counted>& out) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Counted& idle : idle_) {
    all_->bytes_ -= idle.bytes;
    out.push_back(std::move(idle));
  }
  idle_.clear();
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

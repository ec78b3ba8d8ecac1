// SPDX-License-Identifier: Apache-2.0
#include "host/run/task_run.h"

#include <algorithm>

#include "host/run/step_loop.h"

namespace opsrun::host {
namespace {

using Clock = std::chrono::steady_clock;

// Longer runs are always shared. Shorter ones are tried both ways, since waking workers takes time too.
constexpr std::chrono::nanoseconds kShort = std::chrono::milliseconds(1);
// Number of runs in each trial, of which the fastest counts, and number of runs until the next trial.
constexpr uint32_t kTrial = 16;
constexpr uint32_t kUntilNextTrial = 8192;

}  // namespace

TaskRun::TaskRun(StepLoop& loop, const RunState& state, const std::vector<Task>& tasks, ThreadPool& pool)
    : loop_(loop), state_(state), pool_(pool), tasks_(tasks), waits_(new std::atomic<uint32_t>[tasks_.size()]) {
  for (uint32_t t = 0; t < tasks_.size(); ++t) {
    if (tasks_[t].waits_for == 0) roots_.push_back(t);
  }
  std::reverse(roots_.begin(), roots_.end());
  ready_.reserve(tasks_.size());
}

void TaskRun::Run() {
  const uint32_t turn = runs_++ % kUntilNextTrial;
  if (turn == 0) {
    shared_time_ = alone_time_ = std::chrono::nanoseconds::max();
    alone_is_better_ = false;
  }
  if (turn >= 2 * kTrial || (turn >= kTrial && shared_time_ > kShort)) return RunOnce(alone_is_better_);
  const bool alone = turn >= kTrial;
  const Clock::time_point begin = Clock::now();
  RunOnce(alone);
  std::chrono::nanoseconds& best = alone ? alone_time_ : shared_time_;
  best = std::min<std::chrono::nanoseconds>(best, Clock::now() - begin);
  alone_is_better_ = alone_time_ < shared_time_;
}

void TaskRun::RunOnce(bool alone) {
  if (alone) {
    RunAlone();
  } else {
    RunShared();
  }
}

// The order of the steps is one in which a single thread can run them.
void TaskRun::RunAlone() {
  loop_.RunSteps(0, static_cast<uint32_t>(loop_.size()));
}

void TaskRun::RunShared() {
  for (uint32_t t = 0; t < tasks_.size(); ++t) waits_[t].store(tasks_[t].waits_for, std::memory_order_relaxed);
  ready_ = roots_;
  taken_ = 0;
  left_.store(tasks_.size(), std::memory_order_relaxed);
  over_.store(false, std::memory_order_relaxed);
  pool_.Invite(*this, static_cast<int>(std::min(roots_.size() - 1, static_cast<size_t>(pool_.threads()))));
  Help();
  if (!over_.load(std::memory_order_relaxed)) pool_.AwaitFinish(*this);
  pool_.Dismiss(*this);
}

void TaskRun::Help() {
  for (Share mine = Take(); mine.count > 0; mine = Take()) {
    for (size_t i = 0; i < mine.count; ++i) RunFrom(mine.tasks[i]);
  }
}

// Takes few tasks while few are ready, so that other threads find some; none once the run must stop. The caller takes
// from one end and workers from the other, so that in the next run a thread finds in its cache what it wrote in this
// one.
TaskRun::Share TaskRun::Take() {
  Share mine;
  if (state_.MustStop()) {
    loop_.NoteStop();
    SetOver();
    return mine;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t ready = ready_.size() - taken_;
  const size_t fair = ready / (2 * static_cast<size_t>(pool_.threads()));
  mine.count = std::min({std::max<size_t>(fair, 1), ready, mine.tasks.size()});
  if (pool_.CurrentThread() < 0) {
    std::copy_n(ready_.rbegin(), mine.count, mine.tasks.begin());
    ready_.resize(ready_.size() - mine.count);
  } else {
    std::copy_n(ready_.begin() + static_cast<ptrdiff_t>(taken_), mine.count, mine.tasks.begin());
    taken_ += mine.count;
  }
  return mine;
}

void TaskRun::RunFrom(uint32_t task) {
  while (task != kNone && loop_.RunSteps(tasks_[task].first, tasks_[task].count)) task = End(task);
}

// Returns the task that this thread continues with, if one became ready; any others go to the shared queue.
uint32_t TaskRun::End(uint32_t task) {
  uint32_t next = kNone;
  int more = 0;
  for (const uint32_t waiting : tasks_[task].next) {
    if (waits_[waiting].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    if (next == kNone) {
      next = waiting;
      continue;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    ready_.push_back(waiting);
    ++more;
  }
  if (more > 0) pool_.Invite(*this, more);
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) SetOver();
  return next;
}

void TaskRun::SetOver() {
  if (!over_.exchange(true, std::memory_order_relaxed)) pool_.Finish(*this);
}

}  // namespace opsrun::host

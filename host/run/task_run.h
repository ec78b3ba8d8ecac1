// host/run/task_run.h: one run of a lane on several threads, and its queue of ready tasks. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "host/plan/plan.h"
#include "host/run/run_state.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {

class StepLoop;

// Made once per lane and reused by all runs. A thread that finishes a task continues with one that it made ready and
// leaves the others to other threads. Runs too short for workers to wake up in time stay on the calling thread.
class TaskRun : public ThreadPool::Job {
 public:
  TaskRun(StepLoop& loop, const RunState& state, const std::vector<Task>& tasks, ThreadPool& pool);

  // Runs all tasks, or until the lane must stop. The caller works too.
  void Run();

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  // Tasks that a thread takes at once.
  struct Share {
    std::array<uint32_t, 32> tasks;
    size_t count = 0;
  };

  void Help() override;
  void RunOnce(bool alone);
  void RunAlone();
  void RunShared();
  Share Take();
  void RunFrom(uint32_t task);
  uint32_t End(uint32_t task);
  void SetOver();

  StepLoop& loop_;
  const RunState& state_;
  ThreadPool& pool_;
  const std::vector<Task>& tasks_;
  std::vector<uint32_t> roots_;
  std::unique_ptr<std::atomic<uint32_t>[]> waits_;  // by task: how many tasks it still waits for
  std::atomic<size_t> left_{0};                     // tasks that have not ended
  std::atomic<bool> over_{false};                   // all have ended, or the run must stop

  // State of the choice between one thread and several; see Run.
  uint32_t runs_ = 0;
  std::chrono::nanoseconds shared_time_{}, alone_time_{};
  bool alone_is_better_ = false;

  std::mutex mutex_;             // guards the members below
  std::vector<uint32_t> ready_;  // the first taken_ are already taken
  size_t taken_ = 0;
};

}  // namespace opsrun::host

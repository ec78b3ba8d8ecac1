// host/run/task_run.h: one run of a lane: whether it must end and why, what is recorded of it, and its tasks on several
// threads. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/plan/plan.h"
#include "host/run/lane.h"
#include "host/run/task_queues.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {

// Kernels may fail from several threads: any thread, except where it says otherwise.
class RunState {
 public:
  // stop: as for SetStop. keep_going: as in RunOptions.
  RunState(const StopSignal* stop, bool keep_going) : keep_going_(keep_going) { SetStop(stop); }

  // Between runs. Null: nothing stops a run.
  void SetStop(const StopSignal* stop);
  // Before a run: forgets the failures of the last one. times: for the records of this run; null: none are kept.
  void Begin(uint64_t id, RunTimes* times);

  uint64_t id() const { return id_.load(std::memory_order_relaxed); }
  RunTimes* times() const { return times_; }
  void CountTemporary(size_t bytes) const {
    if (times_ != nullptr) std::atomic_ref(times_->temporary_bytes).fetch_add(bytes, std::memory_order_relaxed);
  }
  const StopSignal& signal() const { return *signal_; }
  bool keep_going() const { return keep_going_; }
  // False as long as a step may run without further checks: none has failed, and nothing stops the run.
  bool IsDisturbed() const { return failed_.load(std::memory_order_relaxed) || signal_->stopped(); }
  bool MustStop() const { return (!keep_going_ && failed_.load(std::memory_order_relaxed)) || signal_->stopped(); }

  // Records what a step's kernel says of its failure, and returns the code. The step only fails if its kernel returns a
  // code.
  int32_t NoteReason(uint32_t step, int32_t code, std::string text, std::string subject);
  // For a step whose kernel is called again.
  void ForgetReason(uint32_t step);
  // OK if none is recorded.
  Status ReasonOf(uint32_t step) const;

  // Ends the run. Only the first failure is reported; steps that fail because they were asked to stop are not counted.
  // With keep_going, only a failure that aborts the run ends it: a stop, or a device that fails.
  void End(RunFailure failure, bool aborts);
  // The failure of the run, and a way to report another one in its place. Requires: no step is running.
  const std::optional<RunFailure>& failure() const { return failure_; }
  void ForgetFailure() { failure_.reset(); }
  // True after a failure if the run has no results. Requires: no step is running.
  bool is_aborted() const { return failure_ && (!keep_going_ || aborted_); }

  // For traces: see opsrun_trace. thread: as in PartTime.
  int64_t TraceNow() const;
  void AddPart(uint32_t step, int32_t thread, std::string name, int64_t begin);

 private:
  void Add(RunFailure failure, bool aborts);

  const StopSignal* signal_;  // never null
  RunTimes* times_ = nullptr;
  std::atomic<uint64_t> id_{0};
  const bool keep_going_;
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;  // guards what follows, and the parts in *times_
  std::optional<RunFailure> failure_;
  bool aborted_ = false;                // with keep_going_
  std::map<uint32_t, Status> reasons_;  // by step
};

// In nanoseconds, as in StepTime.
int64_t NowOfRun();

class StepLoop;

// Made once per lane and reused by all runs. A thread that finishes a task continues with one that it made ready and
// leaves the others to other threads.
class TaskRun : public ThreadPool::Job {
 public:
  TaskRun(StepLoop& loop, const RunState& state, const std::vector<Task>& tasks, ThreadPool& pool);

  // Runs all tasks, or until the lane must stop. The caller works too.
  void Run();

 private:
  static constexpr uint32_t kNone = TaskQueues::kNone;

  void Help() override;
  // thread: the calling one, 0 is the caller of Run.
  uint32_t Take(uint32_t thread);
  void RunFrom(uint32_t task, uint32_t thread);
  uint32_t End(uint32_t task, uint32_t thread);
  void InviteOthers(int tasks);
  void SetOver();

  StepLoop& loop_;
  const RunState& state_;
  ThreadPool& pool_;
  const std::vector<Task>& tasks_;
  TaskQueues ready_;
  std::vector<uint32_t> roots_;
  std::unique_ptr<std::atomic<uint32_t>[]> waits_;  // by task: how many tasks it still waits for
  size_t ends_ = 0;                                 // tasks that no other waits for: all others end before these
  std::atomic<size_t> left_{0};                     // of them: those that have not ended
  std::atomic<int> here_{0};                        // threads in Help
  std::atomic<bool> over_{false};                   // all have ended, or the run must stop
};

}  // namespace opsrun::host

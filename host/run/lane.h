// host/run/lane.h: everything that a run of a plan needs: frames, views, arena.
//
// Frames and views are stored in one slab in step order, so that a run accesses memory sequentially. They are made once
// and reused by all runs. Lanes of one plan may run at the same time; each lane runs for one caller at a time. Destroy
// lanes before their plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/plugin_code.h"
#include "host/base/status.h"
#include "host/device/device.h"
#include "host/isolate/part.h"
#include "host/plan/plan.h"
#include "host/run/buffer.h"
#include "host/run/repro.h"
#include "host/tensor/resources.h"
#include "host/tensor/tensor.h"
#include "host/threads/thread_pool.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Requests that runs stop. May be set from any thread and from signal handlers.
class StopSignal {
 public:
  using Time = std::chrono::steady_clock::time_point;

  StopSignal() = default;
  // Stops at `deadline`, and also once `other` is stopped, which must outlive it; null: only at `deadline`.
  StopSignal(const StopSignal* other, Time deadline) : state_(kAsks), other_(other), deadline_(deadline) {}

  void Stop() { state_.store(kStopped, std::memory_order_relaxed); }
  bool stopped() const { return state_.load(std::memory_order_relaxed) != kRuns && StopsNow(); }
  // Whether the deadline has passed, and `other` is not stopped.
  bool timed_out() const { return !other_stopped() && std::chrono::steady_clock::now() >= deadline_; }

 private:
  // Apart from the loop that runs nodes.
  [[gnu::noinline]] bool StopsNow() const {
    return state_.load(std::memory_order_relaxed) == kStopped || other_stopped() || timed_out();
  }
  bool other_stopped() const { return other_ != nullptr && other_->stopped(); }

  // A run reads one word for each node; only with a deadline does it read the clock.
  enum State : uint8_t { kRuns, kStopped, kAsks };

  std::atomic<State> state_{kRuns};
  static_assert(std::atomic<State>::is_always_lock_free, "a signal handler may set it");
  const StopSignal* other_ = nullptr;
  Time deadline_ = Time::max();
};

// Options for all runs of an engine.
struct RunOptions {
  bool nan_check = false;       // end a run at the first step whose output has a NaN
  bool check_memory = false;    // each tensor has memory of its own, guarded; end a run at a step that wrote outside
  bool no_cuda_graphs = false;  // launch each step by itself: no CUDA graphs, see Plan::captures
  bool sync_each_node = false;  // wait for the work of each step on a device before the next one
  // Run all steps that do not depend on one that failed, through tensors or `after`. Plans are made for it.
  bool keep_going = false;
  std::shared_ptr<ReproFolder> repro;  // for the first node that fails; null: none. Plans are made for it
};

// What lanes use and do not own.
struct LaneContext {
  Device* device = nullptr;
  const opsrun_host* host = nullptr;
  ThreadPool* pool = nullptr;        // null: the calling thread does all work
  const StopSignal* stop = nullptr;  // null: nothing stops a run
  Resources* resources = nullptr;    // objects that kernels share; null: none
  RunOptions options;
  const ReproNodes* repro_nodes = nullptr;  // of the plan, for options.repro; null: nodes are not written
};

// Which step failed, and why.
struct RunFailure {
  uint32_t step = 0;
  Status status;
  uint32_t others = 0;                    // steps that failed at the same time, on other threads
  std::vector<std::string> inputs;        // of that step, lists flattened: "int32 [2, 3]"
  WrittenRepro repro;                     // of that step, if the engine wants it
  std::vector<PartFailure> of_part = {};  // of a step of isolated nodes: which of them failed
  std::vector<RunFailure> more = {};  // with RunOptions::keep_going: those of other steps, in the order of their ends
};

// When a step ran, in nanoseconds of the steady clock, and on which thread: 0 is the caller, other numbers are workers,
// and those from kIsolatedThreads on are workers of another process.
struct StepTime {
  int64_t begin = 0;
  int64_t end = 0;
  int32_t thread = 0;
  int64_t inner = 0;  // of isolated nodes: how much of it is in the times of the nodes

  int64_t own() const { return end - begin - std::min(inner, end - begin); }
};

// A part of a step's work that its kernel reported for a trace.
struct PartTime {
  std::string name;
  int64_t begin = 0;  // as in StepTime
  int64_t end = 0;
  int32_t thread = 0;
  uint32_t step = 0;
};

// A step that has begun and not ended.
struct RunningStep {
  uint32_t step = 0;
  bool on_device = false;  // a device is doing the work, which cannot be interrupted
};

// What a timed run records.
struct RunTimes {
  std::vector<StepTime> steps;   // one for each step of the plan; then for each node of each IsolatedPart
  std::vector<PartTime> parts;   // in the order of their ends; at most kMostParts
  size_t parts_left_out = 0;     // beyond kMostParts
  bool wants_parts = false;      // otherwise kernels see that tracing is off
  uint64_t temporary_bytes = 0;  // of all temporaries that kernels took

  static constexpr size_t kMostParts = 100'000;
};

// The thread of an isolated node: that of its process, for which a thread of this one waits.
inline constexpr int32_t kIsolatedThreads = 2048, kThreadsOfIsolated = 32;
inline int32_t IsolatedThread(int32_t waits, uint64_t thread) {
  constexpr int32_t kMostWaiting = kIsolatedThreads / kThreadsOfIsolated;
  const auto worker = static_cast<int32_t>(thread % kThreadsOfIsolated);
  return thread == 0 ? waits : kIsolatedThreads + waits % kMostWaiting * kThreadsOfIsolated + worker;
}

// The size of RunTimes::steps.
size_t TimedSteps(const Plan& plan);

class Lane {
 public:
  // RESOURCE_EXHAUSTED: out of memory. The objects in `context` must outlive the lane. A new lane is awake.
  static Result<std::unique_ptr<Lane>> Create(const Plan& plan, const LaneContext& context);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  // Sets the tensor of a declared feed for later runs. INVALID_ARGUMENT: the data type or shape does not match; the
  // message has both. NOT_FOUND: the plan declares no such feed.
  Status SetFeed(const std::string& name, const Tensor& tensor);

  // Sets declared feed i of the plan to memory of the caller, which is borrowed for later runs: dense, row-major,
  // aligned for its elements, on the feed's device. Requires: data type and shape match the feed.
  void BindFeed(size_t i, DType dtype, int32_t rank, const int64_t* shape, void* data);
  // Lets later runs write output i of the plan to `memory`, aligned to 64 bytes; null: to the lane's own memory. False
  // if that is impossible because the shape is unknown before the run or because the output is not made by a kernel.
  bool BindOutput(size_t i, void* memory);
  // Sets the signal that stops later runs; null: none.
  void SetStop(const StopSignal* stop);

  // Runs every step once, on the threads of the pool if work can be shared. Requires: every declared feed is set. After
  // a failure no further step starts, unless the lane keeps going, and the lane can run again. CANCELLED once the
  // signal is set.
  std::optional<RunFailure> Run();
  // The same, but returns when all work is enqueued on the devices, and after a failure once they are done. The next
  // call may be Enqueue again, whose work then follows.
  std::optional<RunFailure> Enqueue();
  // Waits for the work of Enqueue. A failure that only shows now names the step, if the device counts them.
  std::optional<RunFailure> Finish();
  // Work of the next run on devices of this kind begins after the work that is now on `stream`, one of the caller's on
  // this device; and the other way round: work enqueued there from now on follows that of the last run on this device.
  Status Follow(Device& device, Stream stream);
  Status LetFollow(const Device& device, Stream stream);
  // The stream whose work makes output i of the plan, on its device: that of kernels, or of copies.
  Stream StreamOfOutput(size_t i) const;
  // The same as Run, and records when each step ran; begin is 0 for a step that did not run. Waits for a device after
  // each step, so that a step's time includes its work there.
  std::optional<RunFailure> RunTimed(RunTimes& times);

  // Between runs: releases large memory of results and intermediates to other lanes of any plan; with `arena` also the
  // arena, if it is large. Invalidates results. Call Wake before the next run.
  void Rest(bool arena);
  // True if all memory of the lane is small and no run changes that: Rest and Wake are then unnecessary.
  bool is_light() const { return is_light_; }
  // Allocates again, preferably the memory that Rest released. Bound outputs must be bound again. RESOURCE_EXHAUSTED:
  // out of memory; destroy the lane then.
  Status Wake();

  // The steps that are running now, and for each device the first step whose work there has not finished. From any
  // thread; steps that begin or end meanwhile may or may not be included.
  std::vector<RunningStep> Running() const;

  // The inputs of a step whose kernel runs. From any thread.
  RunningNode KeptOf(uint32_t step) const;

  // Whether the last Run has made output i of the plan, or a value. True for all if it succeeded. After a failure, true
  // for feeds, and in a lane that keeps going also for what does not depend on a failed step, unless the run was
  // stopped.
  bool HasOutput(size_t i) const;
  bool HasValue(uint32_t value) const;

  // Output i of the plan in place, valid until the next run. Requires: HasOutput(i).
  const opsrun_tensor& OutputView(size_t i) const;
  // A reference to the memory of output i; none if the lane owns that memory, or if it is a feed. Same requirement.
  SharedMemory ShareOutput(size_t i) const;

  // A copy of output i of the plan. Requires: HasOutput(i), and no other run was started.
  Result<Tensor> Output(size_t i) const;
  // The same for any value of the plan. Also requires: it is a result, checked, or a feed.
  Result<Tensor> Value(uint32_t value) const;

  // The number of the latest run; later runs of any lane of an engine have higher ones.
  uint64_t LastRun() const;

  // Bytes of slab and arena, and of the buffers that dynamic outputs and captured work hold.
  size_t MemoryBytes() const;

 private:
  struct Parts;

  explicit Lane(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
  bool is_light_ = false;
};

// A failed run as a message located at the attr or input that the op blames, or at the op. It names the nodes of
// RunFailure::more. located: the plan's graph with locations, if the plan's own has none.
Diagnostic DescribeFailure(const Plan& plan, const RunFailure& failure, const Graph* located = nullptr);

// For a lane that keeps going and was not stopped: DescribeFailure for each failure, with a note about the outputs of
// the plan that are missing because of it.
std::vector<Diagnostic> DescribeFailures(const Plan& plan, const RunFailure& failure, const Graph* located = nullptr);

// Any number of threads may borrow lanes; when all are in use, the caller waits.
class LanePool {
 public:
  struct Returner {
    LanePool* pool = nullptr;
    void operator()(Lane* lane) const { pool->Return(lane); }
  };
  // A lane, borrowed for the lifetime of this object. Feeds that an earlier borrower set are still set.
  using Lease = std::unique_ptr<Lane, Returner>;

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

// host/run/lane_impl.h: the implementation of a lane, and of the slots of a running call. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "host/base/plugin_code.h"
#include "host/plan/call_arrays.h"
#include "host/run/device_step.h"
#include "host/run/lane.h"
#include "host/run/lane_device.h"
#include "host/run/views.h"

namespace opsrun::host {

class NanCheck;
class TaskRun;

// What a run does after a step with dynamic outputs, or after the last reader of a dynamic input.
struct DynamicStep {
  std::vector<DynamicView*> made;      // outputs of the step, which must have a buffer now
  std::vector<DynamicView*> released;  // views that lose a reader
};

// One step, as the run loop uses it.
struct LaneStep {
  int32_t (*compute)(void*, opsrun_call*) = nullptr;
  void* object = nullptr;
  opsrun_call* call = nullptr;
  const DynamicStep* dynamic = nullptr;  // null: everything is planned
};

struct Lane::Impl {
  Impl(const Plan& plan, const LaneContext& context);
  ~Impl();

  Status Build();
  std::optional<RunFailure> Run(RunTimes* times);
  void Rest(bool arena);
  Status Wake();
  bool IsLight() const;
  uint64_t LastRun() const { return run_id_.load(std::memory_order_relaxed); }
  std::vector<RunningStep> Running() const;

  // Runs steps [first, first + count) in sequence; false if the run must end.
  bool RunSteps(uint32_t first, uint32_t count);
  // Records why the run must end. Returns false.
  bool NoteStop();
  // True if each step on a device must wait for its own work.
  bool MustSync() const { return options.sync_each_node || times_ != nullptr; }
  bool MustStop() const { return failed_.load(std::memory_order_relaxed) || signal->stopped(); }

  // The slots of a call; each returns a code and records its failure.
  int32_t Fail(const opsrun_call* call, int32_t code, std::string text, std::string subject);
  // Forgets a recorded failure of step s, whose kernel is called again.
  void Unfail(uint32_t s);
  int32_t AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t AllocateSlowly(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(opsrun_call* call, uint32_t i, const opsrun_tensor* t);
  int32_t ForwardInput(opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                       opsrun_tensor** view);
  // NodePlace: "node 'y' (graph.yaml:9:3)".
  const std::string& NodeName(const opsrun_call* call) const {
    return plan.NodeOf(plan.steps[StepOf(call)]).name.value;
  }
  std::string NodePlace(const opsrun_call* call) const;
  const Plugin* PluginOf(const opsrun_call* call) const { return plan.steps[StepOf(call)].kernel->plugin; }
  // For traces; see opsrun_trace.
  int64_t TraceNow() const;
  void AddPart(const opsrun_call* call, std::string name, int64_t begin);
#if OPSRUN_LEVEL >= 2
  bool OutputIsUsed(const opsrun_call* call, uint32_t i) const {
    return IsUsed(StepOf(call), i);
  }
#endif
  int32_t AllocateTemp(opsrun_call* call, DType dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                       const opsrun_tensor** t);
  // The name that the op's spec gives output i.
  std::string OutputName(const opsrun_call* call, uint32_t i) const;
  // The device of a call, and the stream of its work.
  LaneDevice& DeviceOf(const opsrun_call* call) const;
  // The captured steps that include the call's step; null: none.
  CapturedSteps* CapturedOf(const opsrun_call* call) const;
  static Stream StreamOf(const opsrun_call* call) {
    return call->stream;
  }

  const Plan& plan;
  Device& device;  // the CPU
  const opsrun_host* host;
  ThreadPool* pool;            // null: one thread
  const StopSignal* signal;    // never null
  Resources* const resources;  // may be null
  const RunOptions options;

  void* slab = nullptr;
  size_t slab_bytes = 0;
  std::vector<std::unique_ptr<LaneDevice>> devices;       // in the order of the plan: the CPU first
  std::vector<LaneStep> steps;                            // calls at rising addresses
  std::vector<std::unique_ptr<NanCheck>> nan_checks;      // by step; empty without nan_check
  std::vector<std::unique_ptr<DeviceStep>> device_steps;  // by step; empty if all run on the CPU
  std::vector<std::unique_ptr<CapturedSteps>> captured;   // as Plan::captures; empty if the lane does not capture
  std::vector<std::unique_ptr<DynamicStep>> dynamic_steps;
  std::vector<DynamicView*> dynamic_views;         // all of them
  std::vector<DynamicView*> results;               // those that outlive the run
  std::vector<const opsrun_tensor*> views;         // by value
  std::vector<std::unique_ptr<TensorView>> feeds;  // constants and declared feeds, by their order in the plan's values
  std::map<size_t, std::unique_ptr<PlannedView>> residents;  // by value: constants in device memory

 private:
  // The steps that a thread is running.
  struct Place final : PluginCode {
    PluginCodeFacts Facts() const override;
    const Impl* lane = nullptr;
    std::atomic<uint32_t> first{0}, count{0};
  };

  void PointIntoArenas();
  void OpenDevices();
  Status CheckMemory() const;
  const opsrun_tensor* ResidentView(size_t value);
  Status PlaceResidents();
  Status ConnectDeviceSteps();
  void PrepareCaptures();
  std::string LaterNodes(uint32_t step) const;
  void DrainDevices();
  std::vector<uint32_t> UnfinishedOnDevices() const;
  void PlaceAll(class Slab& slab);
  void PlaceStep(class Slab& slab, uint32_t s);
  opsrun_tensor* PlaceOutput(class Slab& slab, const PlanValue& value);
  void CollectDynamic();
  // True if step s must make output i, because it is used or not optional.
  bool MustBeMade(uint32_t s, uint32_t i) const;
#if OPSRUN_LEVEL >= 2
  bool IsUsed(uint32_t s, uint32_t i) const;
#endif
  template <bool kShared, bool kTimed>
  bool RunRange(uint32_t first, uint32_t count, const FloatingPointMode& floats);
  template <bool kShared, bool kTimed>
  bool RunGuarded(uint32_t first, uint32_t count, Place& place, const FloatingPointMode& floats);
  void RestoreFloatingPoint(const FloatingPointMode& floats, uint32_t first, uint32_t count);
  bool AfterDynamicStep(const LaneStep& step);
  bool FailForMissingOutput(const LaneStep& step);
  bool EndFailed(const LaneStep& step, Status why);
  Status WhyFailed(const LaneStep& step, int32_t code);
  Status ReasonOf(const LaneStep& step);
  uint32_t LastBegun(uint32_t first, uint32_t count) const;
  void Unallocate(DynamicView* view);
  void EndResult(DynamicView* view);
  void ResetAll(const std::vector<DynamicView*>& which);
  uint32_t StepOf(const opsrun_call* call) const;
  int32_t ShapeError(const opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims);
  int32_t CopyInto(const opsrun_call* call, uint32_t i, const opsrun_tensor& t);
  int32_t OutputError(const opsrun_call* call, uint32_t i, Status status);
  int Threads() const {
    return pool == nullptr ? 1 : pool->threads();
  }
  int ThreadNumber() const {
    return pool == nullptr ? 0 : pool->CurrentThread() + 1;
  }

  std::unique_ptr<TaskRun> tasks_;   // null: the steps are a single chain, or there is one thread
  std::unique_ptr<Place[]> places_;  // by thread number
  std::atomic<uint64_t> run_id_{0};
  RunTimes* times_ = nullptr;  // null: times are not recorded

  std::atomic<bool> failed_{false};
  std::atomic<bool> floats_noted_{false};
  std::mutex mutex_;  // guards what follows, and the parts in *times_: kernels may fail from several threads
  std::optional<RunFailure> failure_;
  std::map<uint32_t, Status> reasons_;  // by step: recorded failures; a step fails only if its kernel returns a code
};

}  // namespace opsrun::host

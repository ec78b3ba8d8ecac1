// host/run/step_loop.h: runs the steps of a lane. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/base/plugin_code.h"
#include "host/run/call_slots.h"
#include "host/run/device_step.h"
#include "host/run/lane.h"
#include "host/run/lane_memory.h"
#include "host/run/lane_repro.h"
#include "host/run/sweep_run.h"
#include "host/run/task_run.h"
#include "host/run/thread_choice.h"

namespace opsrun::host {

class TaskRun;

// Wraps a step and checks what it leaves behind. Only lanes created with nan_check or check_memory have these.
class StepCheck {
 public:
  // compute, object: of the step, which is called first.
  StepCheck(CallSlots& slots, bool nans, int32_t (*compute)(void*, opsrun_call*), void* object)
      : slots_(slots), nans_(nans), compute_(compute), object_(object) {}
  StepCheck(const StepCheck&) = delete;

  // The compute of a LaneStep whose object is a StepCheck.
  static int32_t Run(void* check, opsrun_call* call);

 private:
  int32_t FindNan(opsrun_call* call) const;
  int32_t FindDamage(opsrun_call* call) const;

  CallSlots& slots_;
  const bool nans_;
  int32_t (*const compute_)(void*, opsrun_call*);
  void* const object_;
};

// What a run does after a step with dynamic outputs, or after the last reader of a dynamic input. The views of all
// steps are in one list, in the order in which a run needs them.
struct DynamicStep {
  DynamicView* const* views =
      nullptr;  // outputs of the step, which must have a buffer now; then views that lose a reader
  uint32_t made = 0, released = 0;
};

// After a step, or in its place: releases the values that have no readers left.
inline void EndReads(const DynamicStep& step) {
  DynamicView* const* view = step.views + step.made;
  for (DynamicView* const* const end = view + step.released; view != end; ++view) {
    if (!(*view)->allocated() || !(*view)->EndRead()) continue;
    (*view)->pool->Put((*view)->buffer);
    (*view)->Reset();
  }
}

// One step, as the loop uses it.
struct LaneStep {
  int32_t (*compute)(void*, opsrun_call*) = nullptr;
  void* object = nullptr;
  opsrun_call* call = nullptr;
  const DynamicStep* dynamic = nullptr;  // null: everything is planned
};

class StepLoop {
 public:
  // The parts of the lane, which must outlive this object and are built by then.
  StepLoop(LaneMemory& memory, RunState& state, CallSlots& slots, const DeviceSteps& device_steps,
           const RunOptions& options, const ReproNodes* repro_nodes);
  StepLoop(const StepLoop&) = delete;
  ~StepLoop();

  // See Lane::Enqueue. times: null if none are wanted.
  std::optional<RunFailure> Run(RunTimes* times);
  // See Lane.
  std::optional<RunFailure> Finish();
  std::vector<RunningStep> Running() const;
  // Whether the outputs of a step are there after the run.
  // value: an output of a step.
  bool HasMade(uint32_t value) const { return !state_.failure() || (!state_.is_aborted() && IsMade(value)); }
  RunningNode KeptOf(uint32_t step) const { return repro_ ? repro_->OfStep(step) : RunningNode{}; }

  size_t size() const { return steps_.size(); }
  // Runs steps [first, first + count) in sequence; false if the run must end.
  bool RunSteps(uint32_t first, uint32_t count);
  // The run must end because a step on another thread failed or because a stop was requested. Names the step that a
  // device is busy with, or the one that this thread ran last. Returns false.
  bool NoteStop();
  // Restores the floating-point mode before a kernel of another plugin runs. Warns once per lane that one of steps
  // [first, first + count) changed it, as the kernel will do it in every run.
  void RestoreFloatingPoint(const FloatingPointMode& floats, uint32_t first, uint32_t count);

 private:
  // The steps that a thread is running.
  struct StepsOfThread final : PluginCode {
    PluginCodeFacts Facts() const override;
    const StepLoop* loop = nullptr;
    std::atomic<uint32_t> first{0}, count{0};
  };

  void CollectDynamic();
  void RunInOrder();
  void RunChosen();
  template <bool kShared, bool kTimed>
  bool RunRange(uint32_t first, uint32_t count, const FloatingPointMode& floats);
  template <bool kShared, bool kTimed>
  bool RunGuarded(uint32_t first, uint32_t count, StepsOfThread& steps, const FloatingPointMode& floats);
  int32_t ComputeTimed(const LaneStep& step);
  bool EndsWell(const LaneStep& step, int32_t code);
  bool AfterDynamicStep(const LaneStep& step);
  bool ExcuseMissing(const DynamicStep& step) const;
  bool FailForMissingOutput(const LaneStep& step);
  bool EndFailed(const LaneStep& step, Status why, bool aborts = false);
  // What becomes of a step once the run is disturbed. Apart from the loop.
  enum class Course { kRun, kSkip, kEnd };
  [[gnu::noinline, gnu::cold]] Course CourseOf(const LaneStep& step);
  // made: which of its outputs are there; empty: none.
  void Forsake(const LaneStep& step, const std::vector<bool>& made = {});
  bool IsMade(uint32_t value) const;
  uint32_t IndexOf(const LaneStep& step) const { return static_cast<uint32_t>(&step - steps_.data()); }
  Status WhyFailed(const LaneStep& step, int32_t code);
  uint32_t LastBegun(uint32_t first, uint32_t count) const;
  void DrainDevices();
  std::vector<uint32_t> UnfinishedOnDevices() const;
  std::string LaterNodes(uint32_t step) const;
  int Threads() const { return slots_.pool() == nullptr ? 1 : slots_.pool()->threads(); }
  int ThreadNumber() const { return slots_.ThreadNumber(); }

  const Plan& plan_;
  LaneMemory& memory_;
  RunState& state_;
  CallSlots& slots_;
  const DeviceSteps& device_steps_;
  std::vector<LaneStep> steps_;
  std::map<uint32_t, size_t> node_times_;  // by step of isolated nodes: where RunTimes::steps has them
  std::vector<DynamicStep> dynamic_steps_;
  std::vector<DynamicView*> dynamic_views_;         // of dynamic_steps_
  std::vector<std::unique_ptr<StepCheck>> checks_;  // by step; may be empty
  std::unique_ptr<LaneRepro> repro_;                // null: inputs are not kept
  // With keep_going, by step: not 0 if it failed or was skipped in this run. Threads see what earlier tasks have
  // written.
  std::vector<uint8_t> missing_;
  // By step of isolated nodes of which some have failed: which of its outputs are there.
  std::map<uint32_t, std::vector<bool>> partly_made_;
  mutable std::mutex partly_mutex_;                // guards it
  std::vector<std::unique_ptr<SweepRun>> sweeps_;  // none in lanes that check steps
  std::unique_ptr<TaskRun> tasks_;                 // null: the steps are a single chain, or there is one thread
  std::optional<ThreadChoice> choice_;             // none: there is one thread
  std::unique_ptr<StepsOfThread[]> running_;       // by thread number
  std::atomic<bool> floats_noted_{false};
};

}  // namespace opsrun::host

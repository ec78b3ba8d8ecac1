// host/run/call_slots.h: what the kernels of a lane ask of the host while they run. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/plan/plan.h"
#include "host/run/lane_memory.h"
#include "host/run/run_state.h"
#include "host/tensor/resources.h"
#include "host/threads/thread_pool.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

class CapturedSteps;
class DeviceSteps;

#if OPSRUN_LEVEL >= 2
// True if another step or the user reads output i of the step.
bool IsUsed(const Plan& plan, const Step& step, uint32_t i);
#endif

// opsrun_call::lane points to it. The functions that return a code record the reason of a failure. c_api.h documents
// the slots.
class CallSlots {
 public:
  // pool, resources: may be null. sync_each_node: as in RunOptions.
  CallSlots(LaneMemory& memory, RunState& run, const DeviceSteps& device_steps, ThreadPool* pool, Resources* resources,
            bool sync_each_node)
      : memory_(memory),
        run_(run),
        device_steps_(device_steps),
        pool_(pool),
        resources_(resources),
        sync_each_node_(sync_each_node) {}
  CallSlots(const CallSlots&) = delete;

  const Plan& plan() const { return memory_.plan(); }
  const LaneMemory& memory() const { return memory_; }
  RunState& run() const { return run_; }
  ThreadPool* pool() const { return pool_; }
  Resources* resources() const { return resources_; }
  // True if each step on a device must wait for its own work.
  bool MustSync() const { return sync_each_node_ || run_.times() != nullptr; }

  int32_t Fail(const opsrun_call* call, int32_t code, std::string text, std::string subject = "");
  int32_t AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(opsrun_call* call, uint32_t i, const opsrun_tensor* t);
  int32_t ForwardInput(opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                       opsrun_tensor** view);
  int32_t AllocateTemp(opsrun_call* call, DType dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                       const opsrun_tensor** t);
  void AddPart(const opsrun_call* call, std::string name, int64_t begin);
#if OPSRUN_LEVEL >= 2
  bool OutputIsUsed(const opsrun_call* call, uint32_t i) const {
    return IsUsed(plan(), StepOf(call), i);
  }
#endif

  const Step& StepOf(const opsrun_call* call) const {
    return plan().steps[memory_.StepOf(call)];
  }
  const std::string& NodeName(const opsrun_call* call) const {
    return plan().NodeOf(StepOf(call)).name.value;
  }
  // "node 'y' (graph.yaml:9:3)".
  std::string NodePlace(const opsrun_call* call) const;
  // The name that the op's spec gives output i.
  std::string OutputName(const opsrun_call* call, uint32_t i) const;
  // The device of a call.
  LaneDevice& DeviceOf(const opsrun_call* call) const;
  // The captured steps that include the call's step; null: none.
  CapturedSteps* CapturedOf(const opsrun_call* call) const;

 private:
  int32_t AllocateSlowly(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t ShapeError(const opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims);
  int32_t OutputError(const opsrun_call* call, uint32_t i, const Status& status);
  int32_t CopyInto(const opsrun_call* call, uint32_t i, const opsrun_tensor& t);

  LaneMemory& memory_;
  RunState& run_;
  const DeviceSteps& device_steps_;
  ThreadPool* const pool_;  // null: one thread
  Resources* const resources_;
  const bool sync_each_node_;
};

}  // namespace opsrun::host

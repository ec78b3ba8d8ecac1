// host/run/call_slots.h: what kernels ask of the host while they are made and while they run. Private to this room.
// c_api.h documents each slot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "host/base/plugin_code.h"
#include "host/plan/call_arrays.h"
#include "host/plan/plan.h"
#include "host/run/lane_memory.h"
#include "host/run/scheduled_tasks.h"
#include "host/run/task_run.h"
#include "host/tensor/resources.h"
#include "host/threads/thread_pool.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// A kernel has ended before what it has scheduled.
inline constexpr char kDidNotWait[] = "the kernel did not wait for what it had scheduled: it must call wait_scheduled";

class CapturedSteps;
class DeviceSteps;

// opsrun_call::lane points to it. The functions that return a code record the reason of a failure.
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
  // Of the calling thread: 0 is the caller of the run, other numbers are workers.
  int ThreadNumber() const { return pool_ == nullptr ? 0 : pool_->CurrentThread() + 1; }
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
  // True if another step or the user reads output i.
  bool IsRead(const opsrun_call* call, uint32_t i) const;
  // The same, asked by the kernel. If nobody does, the kernel need not make it, now that it has
  // asked.
  bool OutputIsUsed(const opsrun_call* call, uint32_t i) const;
  ScheduledTasks& scheduled() { return scheduled_; }

  const Step& StepOf(const opsrun_call* call) const { return plan().steps[memory_.StepOf(call)]; }
  std::string_view NodeName(const opsrun_call* call) const { return plan().NodeName(StepOf(call)); }
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
  ScheduledTasks scheduled_;
};

// Text passed by a plugin, which may claim any size: its first 64 KiB, or a replacement sentence if it cannot be read.
std::string TextOfPlugin(opsrun_str text);

// Of the opsrun_call, opsrun_create or opsrun_shape_call that `where` points to.
inline uint16_t KindOf(const void* where) {
  return static_cast<const opsrun_call*>(where)->kind;
}
inline CallSlots& SlotsOf(const opsrun_call* call) {
  return *static_cast<CallSlots*>(call->lane);
}
inline CreateCall& CreateCallOf(void* where) {
  return *static_cast<CreateCall*>(static_cast<opsrun_create*>(where));
}

// Records the failure of a call, a create or a shape call, and returns its code.
int32_t FailAt(void* where, int32_t code, std::string text, std::string subject);

// The host of a call, a create or a shape call.
const opsrun_host* HostAt(void* where);

// Calls back into the plugin; an exception becomes the failure of `where`. what: names the callback in the message.
template <typename Fn>
int32_t CallPlugin(void* where, const char* what, Fn fn) {
  int32_t code = OPSRUN_OK;
  const std::optional<Thrown> thrown = CatchThrown([&] { code = fn(); });
  if (!thrown) return code;
  return FailAt(where, thrown->code(), fmt::format("{} {}", what, thrown->Sentence()), "");
}

// opsrun.cuda/1 as this host offers it.
extern const opsrun_cuda kCudaInterface;

// Slots that need more than one call.
namespace slots {

int32_t AllocateTemp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                     const opsrun_tensor** t);
int32_t Retain(const opsrun_tensor* t, const opsrun_tensor** kept);
void Release(const opsrun_tensor* t);
int32_t StringAssign(const opsrun_tensor* t, uint64_t i, const char* p, uint64_t n);
int32_t StringSwap(const opsrun_tensor* t, uint64_t i, uint64_t j);
int32_t Resource(void* where, opsrun_str container, opsrun_str name, opsrun_str type, int32_t (*make)(void*, void**),
                 void* ctx, void (*destroy)(void*), const opsrun_resource** r);
int32_t ResourceObject(const opsrun_resource* r, const opsrun_plugin* plugin, opsrun_str type, void** obj);
int32_t ResourceDelete(void* where, opsrun_str container, opsrun_str name, opsrun_str type);

}  // namespace slots

}  // namespace opsrun::host

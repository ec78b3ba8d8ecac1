// host/run/device_step.h: a step of a plan that uses a device other than the CPU: it waits for earlier work, does its
// own, and lets later steps wait. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/device/device.h"
#include "host/plan/plan.h"
#include "host/run/buffer.h"
#include "host/run/lane_memory.h"

namespace opsrun::host {

class CallSlots;
class CapturedSteps;
class DeviceSteps;
struct RunOptions;

// Only plans with devices other than the CPU have these; otherwise steps call kernels directly.
class DeviceStep {
 public:
  DeviceStep(CallSlots& slots, uint32_t index, LaneDevice& on);
  DeviceStep(const DeviceStep&) = delete;
  ~DeviceStep();

  // The compute of a LaneStep whose object is a DeviceStep.
  static int32_t Run(void* step, opsrun_call* call);

  uint32_t index() const { return index_; }
  // True if it enqueues work for a device, or is now blocking the CPU until a device is done. From any thread.
  bool is_for_device() const { return stream_ != kNoStream || waits_.load(std::memory_order_relaxed); }
  // The stream that its work is enqueued on; kNoStream for a step of the CPU.
  Stream stream() const { return stream_; }
  // Await: the step's own work waits for what `earlier` enqueues; AwaitOnCpu: the CPU waits. Before the first run.
  Status Await(DeviceStep& earlier) { return Add(earlier, awaited_); }
  Status AwaitOnCpu(DeviceStep& earlier) { return Add(earlier, awaited_on_cpu_); }
  // From now on `steps` runs this step as one of its own; null: it runs alone.
  void Join(CapturedSteps* steps) { captured_ = steps; }
  CapturedSteps* captured() const { return captured_; }

  // A whole step, and its parts: wait for earlier work; call the kernel, or copy; let others wait for the result.
  int32_t RunAlone(opsrun_call* call);
  // For a step that failed, or is skipped: waits for the work that makes its inputs, as their memory is used again
  // after it, and lets others wait for what it has enqueued. Errors of the device are left to Drain.
  void Forsake();
  Status Begin();
  int32_t Compute(opsrun_call* call);
  Status RecordDone();

 private:
  static Status Add(DeviceStep& earlier, std::vector<const DeviceStep*>& to);
  Status End();
  Status WaitOnCpu(const DeviceStep& earlier);
  int32_t CopyTensor(opsrun_call* call);
  Status Enqueue(const opsrun_tensor& from, opsrun_tensor& to);

  CallSlots& slots_;
  const Step& step_;
  const uint32_t index_;
  LaneDevice& on_;
  const Stream stream_;
  CapturedSteps* captured_ = nullptr;
  std::vector<const DeviceStep*> awaited_, awaited_on_cpu_;
  Event done_ = nullptr;  // recorded when its work is done; null if no step waits for it
  std::atomic<bool> waits_{false};
};

// Steps that a device launches as one. The first run calls the kernels one by one, so that code is loaded and memory
// allocated. The second captures what they enqueue and launches it; later runs only launch it. One thread at a time.
class CapturedSteps {
 public:
  // steps: all of the lane.
  CapturedSteps(CallSlots& slots, const DeviceSteps& steps, const Capture& planned, LaneDevice& on);
  CapturedSteps(const CapturedSteps&) = delete;
  ~CapturedSteps();

  // Runs one of the steps.
  int32_t Run(DeviceStep& step, opsrun_call* call);

  // Device memory for a kernel's temporary, with a reference for the kernel; null if out of memory. This object keeps
  // it allocated for its own lifetime, since replays use it.
  Buffer* TakeTemporary(size_t bytes);
  // The object whose kernels this thread is calling to capture them, if it is on that device; otherwise null. For
  // functions such as retain that are not passed the call.
  static CapturedSteps* CapturingOn(const Device& device);
  // A temporary with a copy of device memory; the captured work makes the copy. Null if out of memory.
  Buffer* CopyOf(const void* data, size_t bytes);

  // A kernel did something that a replay cannot repeat: from now on every run calls the kernels. Logs why.
  void GiveUp(const std::string& why);
  // Memory that the captured work uses has moved; the next run captures again.
  void Forget();

  // True if this run launched them as one; an error of the device may then come from any of them.
  bool is_launched() const { return launched_; }
  uint32_t last() const { return planned_.first + planned_.count - 1; }
  size_t bytes() const;  // of temporaries

 private:
  void Capture();
  // Calls the kernels with a stream that is being captured.
  Status CallKernels(Stream stream);
  Status Launch();

  CallSlots& slots_;
  const DeviceSteps& steps_;
  const opsrun::host::Capture planned_;
  LaneDevice& on_;
  CapturedWork work_ = nullptr;       // null: not captured yet
  Stream capturing_ = kNoStream;      // the stream being captured, during CallKernels
  std::vector<Buffer*> temporaries_;  // one reference to each
  bool has_run_ = false, gave_up_ = false, launched_ = false;
};

// All steps of a lane, if one of them is on a device other than the CPU; otherwise nothing.
class DeviceSteps {
 public:
  DeviceSteps() = default;
  DeviceSteps(const DeviceSteps&) = delete;

  // Once, after the memory is built; the arguments must outlive this object.
  Status Build(CallSlots& slots, const LaneMemory& memory, const RunOptions& options);

  bool empty() const { return steps_.empty(); }
  DeviceStep& at(size_t step) const { return *steps_[step]; }
  bool has_captures() const { return !captured_.empty(); }
  // The arenas have moved: what is captured is captured again.
  void ForgetCaptured();
  size_t bytes() const;  // of temporaries of captured work

 private:
  Status Connect(const Plan& plan);

  std::vector<std::unique_ptr<DeviceStep>> steps_;
  std::vector<std::unique_ptr<CapturedSteps>> captured_;  // as Plan::captures; empty if the lane does not capture
};

}  // namespace opsrun::host

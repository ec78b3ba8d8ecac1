// host/run/device_step.h: a step of a plan that uses devices beside the CPU: its own work, between what it waits for
// and what waits for it. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/base/status.h"
#include "host/device/device.h"
#include "host/plan/plan.h"
#include "host/run/buffer.h"
#include "host/run/lane.h"
#include "host/run/lane_device.h"

namespace opsrun::host {

class CapturedSteps;

// Plans for the CPU alone have none of these: their steps call kernels.
class DeviceStep {
 public:
  DeviceStep(Lane::Impl& lane, uint32_t index, LaneDevice& on);
  DeviceStep(const DeviceStep&) = delete;
  ~DeviceStep();

  // The compute of a LaneStep, whose object is the DeviceStep.
  static int32_t Run(void* step, opsrun_call* call);

  uint32_t index() const { return index_; }
  // It enqueues work for a device, or waits now, on the CPU, for what a device does. From any thread.
  bool is_for_device() const { return stream_ != kNoStream || waits_.load(std::memory_order_relaxed); }
  // The stream that its work is enqueued on; none for a step of the CPU.
  Stream stream() const { return stream_; }
  // The step's own work, or the step itself, waits for what `earlier` enqueues. Before the first run.
  Status Await(DeviceStep& earlier) { return Add(earlier, awaited_); }
  Status AwaitOnCpu(DeviceStep& earlier) { return Add(earlier, awaited_on_cpu_); }
  // It is one of these from now on, which give it its turn; null: of none.
  void Join(CapturedSteps* steps) { captured_ = steps; }
  CapturedSteps* captured() const { return captured_; }

  // A whole turn, and its parts: waits for earlier work; calls the kernel, or copies; lets others wait for its work.
  int32_t RunAlone(opsrun_call* call);
  Status Begin();
  int32_t Compute(opsrun_call* call);
  Status RecordDone();

 private:
  static Status Add(DeviceStep& earlier, std::vector<const DeviceStep*>& to);
  Status End();
  Status WaitOnCpu(const DeviceStep& earlier);
  int32_t CopyTensor(opsrun_call* call);
  Status Enqueue(const opsrun_tensor& from, opsrun_tensor& to);

  Lane::Impl& lane_;
  const Step& step_;
  const uint32_t index_;
  LaneDevice& on_;
  const Stream stream_;
  CapturedSteps* captured_ = nullptr;
  std::vector<const DeviceStep*> awaited_, awaited_on_cpu_;
  Event done_ = nullptr;  // its work is done; null if nobody waits for it
  std::atomic<bool> waits_{false};
};

// Steps of a device whose work it does as a whole. Private to this room.

class DeviceStep;

// The first run calls the kernels as ever, so that code is loaded and memory taken. The next one captures what they
// enqueue, and launches it; after that they are not called any more. One thread at a time.
class CapturedSteps {
 public:
  CapturedSteps(Lane::Impl& lane, const Capture& planned, LaneDevice& on);
  CapturedSteps(const CapturedSteps&) = delete;
  ~CapturedSteps();

  // The turn of one of the steps in a run.
  int32_t Run(DeviceStep& step, opsrun_call* call);

  // Memory of the device for a temporary of a kernel, with a reference for it; null if there is none. It is taken for
  // as long as this lives: a replay uses it without asking.
  Buffer* TakeTemporary(size_t bytes);
  // The one whose kernels this thread calls to capture them, if it is on that device; else null. For functions that get
  // no call, such as retain.
  static CapturedSteps* CapturingOn(const Device& device);
  // A temporary with a copy of memory of the device, made by the captured work; null if there is none.
  Buffer* CopyOf(const void* data, size_t bytes);

  // A kernel did what a replay would not do: from now on all are called in each run. Logs why.
  void GiveUp(const std::string& why);
  // Memory that the captured work uses has moved: the next run captures again.
  void Forget();

  // This run launched them, and an error that comes to light may be that of any.
  bool is_launched() const { return launched_; }
  uint32_t last() const { return planned_.first + planned_.count - 1; }
  size_t bytes() const;  // of temporaries

 private:
  void Capture();
  // Calls the kernels for a stream that captures.
  Status CallKernels(Stream stream);
  Status Launch();
  DeviceStep& StepAt(uint32_t s);

  Lane::Impl& lane_;
  const opsrun::host::Capture planned_;
  LaneDevice& on_;
  CapturedWork work_ = nullptr;       // null: not captured
  Stream capturing_ = kNoStream;      // while kernels are called for it
  std::vector<Buffer*> temporaries_;  // each with a reference of this
  bool has_run_ = false, gave_up_ = false, launched_ = false;
};

}  // namespace opsrun::host

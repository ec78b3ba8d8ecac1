// host/run/device_step.h: a step of a plan that uses devices beside the CPU: its own work, between what it waits for
// and what waits for it. Private to this room. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "host/base/status.h"
#include "host/device/device.h"
#include "host/plan/plan.h"
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

}  // namespace opsrun::host

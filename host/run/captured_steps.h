// host/run/captured_steps.h: steps of a device whose work it does as a whole. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/device/device.h"
#include "host/plan/plan.h"
#include "host/run/buffer.h"
#include "host/run/lane.h"
#include "host/run/lane_device.h"

namespace opsrun::host {

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

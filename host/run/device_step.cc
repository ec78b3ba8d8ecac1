// host/run/device_step.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/run/device_step.h"

#include <fmt/format.h>

#include "host/run/lane_impl.h"
#include "host/run/views.h"

namespace opsrun::host {
namespace {

Stream StreamOf(const Step& step, const LaneDevice& on) {
  switch (step.copy) {
    case Step::Copy::kIn:
      return on.copies_in();
    case Step::Copy::kOut:
      return on.copies_out();
    default:
      return on.kernels();
  }
}

}  // namespace

DeviceStep::DeviceStep(Lane::Impl& lane, uint32_t index, LaneDevice& on)
    : lane_(lane), step_(lane.plan.steps[index]), index_(index), on_(on), stream_(StreamOf(step_, on)) {}

DeviceStep::~DeviceStep() {
  if (done_ != nullptr) on_.device().GiveEvent(done_);
}

Status DeviceStep::Add(DeviceStep& earlier, std::vector<const DeviceStep*>& to) {
  if (earlier.done_ == nullptr) {
    const Result<Event> event = earlier.on_.device().TakeEvent();
    if (!event.ok()) return event.status();
    earlier.done_ = *event;
  }
  to.push_back(&earlier);
  return OkStatus();
}

int32_t DeviceStep::Run(void* step, opsrun_call* call) {
  auto& it = *static_cast<DeviceStep*>(step);
  return it.captured_ != nullptr ? it.captured_->Run(it, call) : it.RunAlone(call);
}

int32_t DeviceStep::RunAlone(opsrun_call* call) {
  const Attached attached(stream_ == kNoStream ? nullptr : &on_.device());
  if (!attached.status().ok()) return lane_.Fail(call, attached.status().code(), attached.status().message(), "");
  if (const Status status = Begin(); !status.ok()) return lane_.Fail(call, status.code(), status.message(), "");
  const int32_t code = Compute(call);
  if (code != OPSRUN_OK) return code;
  const Status status = End();
  return status.ok() ? OPSRUN_OK : lane_.Fail(call, status.code(), status.message(), "");
}

// Work on a stream waits there, and the CPU goes on; between kinds of devices, only the CPU can wait.
Status DeviceStep::Begin() {
  for (const DeviceStep* earlier : awaited_) {
    const bool on_stream = stream_ != kNoStream && earlier->on_.device().kind() == on_.device().kind();
    const Status status = on_stream ? on_.device().Follow(stream_, earlier->done_) : WaitOnCpu(*earlier);
    if (!status.ok()) return status;
  }
  for (const DeviceStep* earlier : awaited_on_cpu_) {
    if (Status status = WaitOnCpu(*earlier); !status.ok()) return status;
  }
  return OkStatus();
}

Status DeviceStep::WaitOnCpu(const DeviceStep& earlier) {
  waits_.store(true, std::memory_order_relaxed);
  Status status = earlier.on_.device().WaitFor(earlier.done_);
  waits_.store(false, std::memory_order_relaxed);
  return status;
}

int32_t DeviceStep::Compute(opsrun_call* call) {
  return step_.copy == Step::Copy::kNone ? step_.kernel->compute(step_.object, call) : CopyTensor(call);
}

Status DeviceStep::End() {
  if (stream_ == kNoStream) return OkStatus();
  if (step_.copy == Step::Copy::kNone) on_.NoteKernel(index_);
  if (lane_.MustSync()) {
    if (Status status = on_.device().Drain(stream_); !status.ok()) return status;
  }
  return RecordDone();
}

Status DeviceStep::RecordDone() {
  return done_ == nullptr ? OkStatus() : on_.device().Record(done_, stream_);
}

int32_t DeviceStep::CopyTensor(opsrun_call* call) {
  const opsrun_tensor& from = *call->in[0];
  opsrun_tensor* to = call->out[0];
  if ((to->flags & kDynamicView) != 0) {
    const int32_t code = lane_.AllocateOutput(call, 0, from.rank, from.shape, &to);
    if (code != OPSRUN_OK) return code;
  }
  const Status status = Enqueue(from, *to);
  return status.ok() ? OPSRUN_OK : lane_.Fail(call, status.code(), status.message(), "");
}

// A block that is given out late may still be used by kernels that are enqueued; planned memory is not.
Status DeviceStep::Enqueue(const opsrun_tensor& from, opsrun_tensor& to) {
  const size_t bytes = ViewBytes(from);
  if (bytes == 0) return OkStatus();
  Device& device = on_.device();
  if ((to.flags & kDynamicView) != 0 && step_.copy == Step::Copy::kIn) {
    if (Status status = Order(device, on_.kernels(), stream_); !status.ok()) return status;
  }
  const auto direction = step_.copy == Step::Copy::kIn ? Device::Direction::kIn : Device::Direction::kOut;
  return device.Copy(direction, to.data, from.data, bytes, stream_);
}

}  // namespace opsrun::host

// host/run/captured_steps.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/run/captured_steps.h"

#include <fmt/format.h>

#include <utility>

#include "host/base/plugin_code.h"
#include "host/run/host_table.h"
#include "host/run/lane_impl.h"

namespace opsrun::host {

namespace {

thread_local CapturedSteps* capturing_here = nullptr;

}  // namespace

CapturedSteps::CapturedSteps(Lane::Impl& lane, const opsrun::host::Capture& planned, LaneDevice& on)
    : lane_(lane), planned_(planned), on_(on) {}

CapturedSteps::~CapturedSteps() {
  Forget();
  for (Buffer* temporary : temporaries_) temporary->Release();
}

DeviceStep& CapturedSteps::StepAt(uint32_t s) {
  return *lane_.device_steps[s];
}

int32_t CapturedSteps::Run(DeviceStep& step, opsrun_call* call) {
  if (step.index() == planned_.first) {
    if (has_run_ && work_ == nullptr && !gave_up_ && !lane_.MustSync()) Capture();
    launched_ = work_ != nullptr && !gave_up_ && !lane_.MustSync();
    if (launched_) {
      const Status status = Launch();
      return status.ok() ? OPSRUN_OK : lane_.Fail(call, status.code(), status.message(), "");
    }
  }
  if (launched_) return OPSRUN_OK;
  const int32_t code = step.RunAlone(call);
  if (code == OPSRUN_OK && step.index() == last()) has_run_ = true;
  return code;
}

// On a stream of its own: other threads may use that of the kernels meanwhile.
void CapturedSteps::Capture() {
  Device& device = on_.device();
  const Attached attached(&device);
  Status status = attached.status();
  if (!status.ok()) return GiveUp(status.message());
  const Result<Stream> stream = device.TakeStream();
  if (!stream.ok()) return GiveUp(stream.status().message());
  status = device.BeginCapture(*stream);
  if (status.ok()) {
    capturing_ = *stream;
    capturing_here = this;
    const Status called = CallKernels(*stream);
    capturing_here = nullptr;
    const Result<CapturedWork> work = device.EndCapture(*stream);
    if (work.ok()) work_ = *work;
    status = called.ok() ? work.status() : called;
  }
  device.GiveStream(*stream);
  if (!status.ok()) GiveUp(status.message());
}

// What fails or throws here does so again when the kernels are called one by one, and is reported then.
Status CapturedSteps::CallKernels(Stream stream) {
  const uint64_t run_id = lane_.steps[planned_.first].call->run_id;
  for (uint32_t s = planned_.first; s <= last(); ++s) {
    opsrun_call* const call = lane_.steps[s].call;
    __atomic_store_n(&call->run_id, run_id, __ATOMIC_RELAXED);
    const Stream own = call->stream;
    call->stream = stream;
    int32_t code = OPSRUN_INTERNAL;
    (void)CatchThrown([&] { code = StepAt(s).Compute(call); });
    call->stream = own;
    if (code == OPSRUN_OK) continue;
    lane_.Unfail(s);
    return Status(code, fmt::format("while it is captured, the kernel of '{}' fails with {}", lane_.NodeName(call),
                                    CodeName(code)));
  }
  return OkStatus();
}

// Steps of other queues wait for single steps, and are awaited by them.
Status CapturedSteps::Launch() {
  for (uint32_t s = planned_.first; s <= last(); ++s) {
    if (Status status = StepAt(s).Begin(); !status.ok()) return status;
  }
  if (Status status = on_.device().Launch(work_, on_.kernels()); !status.ok()) return status;
  on_.NoteKernel(planned_.first);
  for (uint32_t s = planned_.first; s <= last(); ++s) {
    if (Status status = StepAt(s).RecordDone(); !status.ok()) return status;
  }
  return OkStatus();
}

// One that a kernel has given back can be taken again: what comes later on the stream uses it later.
Buffer* CapturedSteps::TakeTemporary(size_t bytes) {
  for (Buffer* temporary : temporaries_) {
    if (temporary->capacity < bytes || !temporary->sole()) continue;
    temporary->Retain();
    return temporary;
  }
  Buffer* const fresh = Buffer::New(on_.device(), on_.kernels(), bytes);
  if (fresh == nullptr) return nullptr;
  fresh->Retain();
  temporaries_.push_back(fresh);
  return fresh;
}

CapturedSteps* CapturedSteps::CapturingOn(const Device& device) {
  return capturing_here != nullptr && &capturing_here->on_.device() == &device ? capturing_here : nullptr;
}

Buffer* CapturedSteps::CopyOf(const void* data, size_t bytes) {
  Buffer* const copy = TakeTemporary(bytes);
  if (copy == nullptr || bytes == 0) return copy;
  if (on_.device().Copy(Device::Direction::kWithin, copy->data(), data, bytes, capturing_).ok()) return copy;
  copy->Release();
  return nullptr;
}

void CapturedSteps::Forget() {
  if (work_ != nullptr) on_.device().Discard(std::exchange(work_, nullptr));
}

size_t CapturedSteps::bytes() const {
  size_t bytes = 0;
  for (const Buffer* temporary : temporaries_) bytes += temporary->capacity;
  return bytes;
}

void CapturedSteps::GiveUp(const std::string& why) {
  if (gave_up_) return;
  gave_up_ = true;
  Warn(lane_.host,
       fmt::format("nodes '{}' to '{}' are not launched as one CUDA graph: {}",
                   lane_.NodeName(lane_.steps[planned_.first].call), lane_.NodeName(lane_.steps[last()].call), why));
}

}  // namespace opsrun::host

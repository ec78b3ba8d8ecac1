// SPDX-License-Identifier: Apache-2.0
#include "host/run/device_step.h"

#include <fmt/format.h>

#include <utility>

#include "host/base/plugin_code.h"
#include "host/run/call_slots.h"
#include "host/run/host_table.h"
#include "host/run/lane.h"
#include "host/run/staged_copy.h"

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

DeviceStep::DeviceStep(CallSlots& slots, uint32_t index, LaneDevice& on)
    : slots_(slots), step_(slots.plan().steps[index]), index_(index), on_(on), stream_(StreamOf(step_, on)) {}

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
  if (!attached.status().ok()) return slots_.Fail(call, attached.status().code(), attached.status().message());
  if (const Status status = Begin(); !status.ok()) return slots_.Fail(call, status.code(), status.message());
  const int32_t code = Compute(call);
  if (code != OPSRUN_OK) return code;
  const Status status = End();
  return status.ok() ? OPSRUN_OK : slots_.Fail(call, status.code(), status.message());
}

void DeviceStep::Forsake() {
  const Attached attached(stream_ == kNoStream ? nullptr : &on_.device());
  if (attached.status().ok() && Begin().ok()) (void)RecordDone();
}

// A stream waits without blocking the CPU; between different kinds of devices, only the CPU can wait.
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
  return step_.copy == Step::Copy::kNone ? step_.kernel()->compute(step_.object, call) : CopyTensor(call);
}

Status DeviceStep::End() {
  if (stream_ == kNoStream) return OkStatus();
  if (step_.copy == Step::Copy::kNone) on_.NoteKernel(index_);
  if (slots_.MustSync()) {
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
    const int32_t code = slots_.AllocateOutput(call, 0, from.rank, from.shape, &to);
    if (code != OPSRUN_OK) return code;
  }
  const Status status = Enqueue(from, *to);
  return status.ok() ? OPSRUN_OK : slots_.Fail(call, status.code(), status.message());
}

// A block that is allocated during the run may still be used by enqueued kernels; planned memory is not in use.
Status DeviceStep::Enqueue(const opsrun_tensor& from, opsrun_tensor& to) {
  const size_t bytes = ViewBytes(from);
  if (bytes == 0) return OkStatus();
  Device& device = on_.device();
  if ((to.flags & kDynamicView) != 0 && step_.copy == Step::Copy::kIn) {
    if (Status status = Order(device, on_.kernels(), stream_); !status.ok()) return status;
  }
  const Plan& plan = slots_.plan();
  const uint32_t source = plan.values[step_.inputs[0]].device;
  if (source != kCpu && step_.copy == Step::Copy::kIn)
    return device.CopyFrom(*plan.devices[source].device, to.data, from.data, bytes, stream_);
  const auto direction = step_.copy == Step::Copy::kIn ? Device::Direction::kIn : Device::Direction::kOut;
  return CopyStaged(slots_.pool(), device, direction, to.data, from.data, bytes, stream_);
}

namespace {

thread_local CapturedSteps* capturing_here = nullptr;

}  // namespace

CapturedSteps::CapturedSteps(CallSlots& slots, const DeviceSteps& steps, const opsrun::host::Capture& planned,
                             LaneDevice& on)
    : slots_(slots), steps_(steps), planned_(planned), on_(on) {}

CapturedSteps::~CapturedSteps() {
  Forget();
  for (Buffer* temporary : temporaries_) temporary->Release();
}

int32_t CapturedSteps::Run(DeviceStep& step, opsrun_call* call) {
  if (step.index() == planned_.first) {
    if (has_run_ && work_ == nullptr && !gave_up_ && !slots_.MustSync()) Capture();
    launched_ = work_ != nullptr && !gave_up_ && !slots_.MustSync();
    if (launched_) {
      const Status status = Launch();
      return status.ok() ? OPSRUN_OK : slots_.Fail(call, status.code(), status.message());
    }
  }
  if (launched_) return OPSRUN_OK;
  const int32_t code = step.RunAlone(call);
  if (code == OPSRUN_OK && step.index() == last()) has_run_ = true;
  return code;
}

// Captures on a separate stream, since other threads may use the kernels' stream meanwhile.
void CapturedSteps::Capture() {
  Device& device = on_.device();
  const Attached attached(&device);
  Status status = attached.status();
  if (!status.ok()) return GiveUp(status.message());
  const OwnStream own(device);
  if (!own.status.ok()) return GiveUp(own.status.message());
  status = device.BeginCapture(own.stream);
  if (status.ok()) {
    capturing_ = own.stream;
    capturing_here = this;
    const Status called = CallKernels(own.stream);
    capturing_here = nullptr;
    const Result<CapturedWork> work = device.EndCapture(own.stream);
    if (work.ok()) work_ = *work;
    status = called.ok() ? work.status() : called;
  }
  if (!status.ok()) GiveUp(status.message());
}

// A failure or exception here occurs again when the kernels are called one by one, and is reported then.
Status CapturedSteps::CallKernels(Stream stream) {
  const uint64_t run_id = slots_.run().id();
  for (uint32_t s = planned_.first; s <= last(); ++s) {
    opsrun_call* const call = slots_.memory().calls()[s];
    __atomic_store_n(&call->run_id, run_id, __ATOMIC_RELAXED);
    const Stream own = call->stream;
    call->stream = stream;
    int32_t code = OPSRUN_INTERNAL;
    (void)CatchThrown([&] { code = steps_.at(s).Compute(call); });
    call->stream = own;
    if (code == OPSRUN_OK) continue;
    slots_.run().ForgetReason(s);
    return Status(code, fmt::format("while it is captured, the kernel of '{}' fails with {}", slots_.NodeName(call),
                                    CodeName(code)));
  }
  return OkStatus();
}

// Steps of other queues wait for, and are awaited by, individual steps.
Status CapturedSteps::Launch() {
  for (uint32_t s = planned_.first; s <= last(); ++s) {
    if (Status status = steps_.at(s).Begin(); !status.ok()) return status;
  }
  if (Status status = on_.device().Launch(work_, on_.kernels()); !status.ok()) return status;
  on_.NoteKernel(planned_.first);
  for (uint32_t s = planned_.first; s <= last(); ++s) {
    if (Status status = steps_.at(s).RecordDone(); !status.ok()) return status;
  }
  return OkStatus();
}

// A temporary that a kernel has released can be reused: work on one stream is ordered.
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
  Warn(slots_.memory().host(), fmt::format("nodes '{}' to '{}' are not launched as one CUDA graph: {}",
                                           slots_.NodeName(slots_.memory().calls()[planned_.first]),
                                           slots_.NodeName(slots_.memory().calls()[last()]), why));
}

Status DeviceSteps::Build(CallSlots& slots, const LaneMemory& memory, const RunOptions& options) {
  const Plan& plan = memory.plan();
  if (memory.devices().size() < 2) return OkStatus();
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    steps_.push_back(std::make_unique<DeviceStep>(slots, s, memory.device_of(plan.steps[s])));
    memory.calls()[s]->stream = steps_[s]->stream();
  }
  const bool captures = !options.no_cuda_graphs && !options.sync_each_node && !options.nan_check && !options.keep_going;
  for (const Capture& planned : plan.captures) {
    if (!captures) break;
    LaneDevice& on = memory.device_of(plan.steps[planned.first]);
    captured_.push_back(std::make_unique<CapturedSteps>(slots, *this, planned, on));
    for (uint32_t s = planned.first; s < planned.first + planned.count; ++s) steps_[s]->Join(captured_.back().get());
  }
  return Connect(plan);
}

Status DeviceSteps::Connect(const Plan& plan) {
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (const uint32_t earlier : plan.steps[s].more->awaited) {
      if (Status status = steps_[s]->Await(*steps_[earlier]); !status.ok()) return status;
    }
    for (const uint32_t earlier : plan.steps[s].more->awaited_on_cpu) {
      if (Status status = steps_[s]->AwaitOnCpu(*steps_[earlier]); !status.ok()) return status;
    }
  }
  return OkStatus();
}

void DeviceSteps::ForgetCaptured() {
  for (const std::unique_ptr<CapturedSteps>& each : captured_) each->Forget();
}

size_t DeviceSteps::bytes() const {
  size_t bytes = 0;
  for (const std::unique_ptr<CapturedSteps>& each : captured_) bytes += each->bytes();
  return bytes;
}

// opsrun.cuda/1.

namespace {

// The device and stream of a tensor in device memory; false for other tensors.
bool FindPlace(const opsrun_tensor& t, Device** device, Stream* stream) {
  if ((t.flags & OPSRUN_TENSOR_HOST) != 0) return false;
  if ((t.flags & kPlannedView) != 0) {
    const auto& view = static_cast<const PlannedView&>(t);
    *device = view.on;
    *stream = view.stream;
    return true;
  }
  const Buffer* const buffer = BufferOf(&t);
  if (buffer == nullptr) return false;
  *device = buffer->device;
  *stream = buffer->stream;
  return true;
}

// Makes later work on the memory's own stream, including its release, wait for `stream`.
int32_t RecordUse(const opsrun_tensor* t, void* stream) {
  Device* device = nullptr;
  Stream own = kNoStream;
  if (!FindPlace(*t, &device, &own))
    return Refuse(t->host, OPSRUN_INVALID_ARGUMENT, "record_use: the tensor is not in the memory of a GPU");
  const Status ordered = Order(*device, stream, own);
  return ordered.ok() ? OPSRUN_OK : Refuse(t->host, ordered.code(), ordered.message());
}

int32_t SideStream(opsrun_call* call, uint32_t i, void** stream) {
  CallSlots& slots = SlotsOf(call);
  if (i >= LaneDevice::kSideStreams || call->stream == nullptr) {
    return slots.Fail(call, OPSRUN_OUT_OF_RANGE, fmt::format("there is no side stream {}", i));
  }
  if (CapturedSteps* const steps = slots.CapturedOf(call); steps != nullptr)
    steps->GiveUp(fmt::format("the kernel of '{}' uses other streams", slots.NodeName(call)));
  const Result<Stream> side = slots.DeviceOf(call).SideStream(i);
  if (!side.ok()) return slots.Fail(call, side.status().code(), side.status().message());
  *stream = *side;
  return OPSRUN_OK;
}

}  // namespace

const opsrun_cuda kCudaInterface = {
    .size = sizeof(opsrun_cuda), .flags = 0, .record_use = RecordUse, .side_stream = SideStream};

}  // namespace opsrun::host

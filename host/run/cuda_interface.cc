// host/run/cuda_interface.cc
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/run/device_step.h"
#include "host/run/host_slots.h"
#include "host/run/host_table.h"

namespace opsrun::host {
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

// adapters/pytorch/native/device_call.cc
// SPDX-License-Identifier: Apache-2.0
#include "device_call.h"

#include <algorithm>
#include <utility>

namespace opsrun_torch {
namespace {

using opsrun_adapter::Card;
using opsrun_adapter::InCpuMemory;

bool IsForCpu(const opsrun_kernel_object* kernel) {
  return Text(opsrun_kernel_object_get(kernel)->device) == "cpu";
}

// CUDA graphs may use it again at any time, and nothing says when they are gone.
void KeepForever(std::shared_ptr<void> object) {
  static std::mutex mutex;  // guards kept
  static auto* const kept = new std::vector<std::shared_ptr<void>>;
  const std::lock_guard<std::mutex> lock(mutex);
  kept->push_back(std::move(object));
}

}  // namespace

DeviceCall::DeviceCall(const opsrun_host* table, std::shared_ptr<const TypedOp> op,
                       const opsrun_kernel_object* its_kernel, const Place& place)
    : Call(table, its_kernel, op->out_types(), op->in_types().size()),
      op_(std::move(op)),
      place_(place),
      card_(Card::Get(place.card)),
      inputs_on_cpu_(InCpuMemory(opsrun_kernel_object_get(its_kernel)->in_args,
                                 opsrun_kernel_object_get(its_kernel)->n_in_args, n_in, IsForCpu(its_kernel))) {
  if (!IsForCpu(its_kernel)) {
    device = {OPSRUN_DEVICE_CUDA, place.card};
    stream = place.stream;
  }
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(its_kernel);
  const std::vector<bool> outputs_on_cpu = InCpuMemory(info.out_args, info.n_out_args, n_out, !on_card());
  for (uint32_t i = 0; i < n_out; ++i) output(i).MoveTo(outputs_on_cpu[i] ? Place() : place);
  if (!card_.IsCapturing(place.stream)) return;
  flags |= OPSRUN_CALL_CAPTURING;
  CheckCapture(info.flags, outputs_on_cpu);
  KeepForever(std::const_pointer_cast<TypedOp>(op_));
}

DeviceCall::~DeviceCall() {
  if (!on_cpu_.empty() && !is_captured()) card_.FreeAfter(place_.stream, std::move(on_cpu_));
}

void DeviceCall::CheckCapture(uint32_t kernel_flags, const std::vector<bool>& outputs_on_cpu) const {
  if (!on_card()) RefuseCapture("it has no kernel for GPUs");
  if (std::find(outputs_on_cpu.begin(), outputs_on_cpu.end(), true) != outputs_on_cpu.end()) {
    RefuseCapture("its kernel writes an output to CPU memory");
  }
  if ((kernel_flags & OPSRUN_KERNEL_CAPTURABLE) == 0 || (kernel_flags & OPSRUN_KERNEL_WAITS) != 0) {
    RefuseCapture("its kernel does not say that it launches the same work each time");
  }
}

void DeviceCall::RefuseCapture(const char* why) const {
  Raise(OPSRUN_FAILED_PRECONDITION,
        op_->name() + " cannot be captured in a CUDA graph: " + why + "; call it outside of torch.cuda.graph");
}

void DeviceCall::AddInput(const TypeNumbers& type, AtenTensorHandle tensor, int32_t rank) {
  const bool to_cpu = inputs_on_cpu_[n_added_++];
  const bool is_on_cpu = Get<int32_t>(aoti_torch_get_device_type, tensor) == kCpu;
  const Place place = to_cpu ? Place() : place_;
  // The program may write to its tensor in CPU memory before the stream has passed.
  const bool fits = to_cpu == is_on_cpu && !(to_cpu && on_card());
  if (fits && IsPlain(type, tensor, DataOf(tensor))) {
    Borrow(type, tensor, rank).MoveTo(place);
  } else {
    Add(type, CopyTo(place, type, tensor, to_cpu == is_on_cpu), rank).MoveTo(place);
  }
}

Tensor DeviceCall::CopyTo(const Place& place, const TypeNumbers& type, AtenTensorHandle tensor, bool is_there) {
  if (is_captured() && !is_there) {
    RefuseCapture(place.is_on_card() ? "an input is in CPU memory; use .cuda()"
                                     : "its kernel reads an input in CPU memory; use .cpu()");
  }
  Tensor copy = PlainCopyOf(type, tensor, place);
  if (!place.is_on_card()) KeepOnCpu(Share(copy));
  return copy;
}

void DeviceCall::KeepOnCpu(Tensor tensor) {
  std::shared_ptr<AtenTensorOpaque> kept = std::move(tensor);
  if (is_captured()) return KeepForever(std::move(kept));
  const std::lock_guard<std::mutex> lock(mutex_);
  on_cpu_.push_back(std::move(kept));
}

int32_t DeviceCall::Run() {
  const Card::Current current(card_);
  if (const int error = current.error()) return Fail(OPSRUN_INTERNAL, Card::TextOf(error, "the GPU's context"));
  if (const int32_t code = Call::Run(); code != OPSRUN_OK) return code;
  const uint32_t kernel_flags = opsrun_kernel_object_get(kernel())->flags;
  bool waits = on_card() && (kernel_flags & OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM) != 0;
  for (uint32_t i = 0; i < n_out; ++i) {
    Owner& made = output(i);
    if (PlaceOf(made).is_on_card()) continue;
    if (const int error = std::exchange(waits, false) ? card_.Wait(place_.stream) : 0) {
      return Fail(OPSRUN_INTERNAL, Card::TextOf(error, "the kernel's work on the GPU"));
    }
    Tensor copy = CopyOf(made, Place(), out_type(i), place_);
    KeepOnCpu(made.Take());
    made.Show(made.rank, std::move(copy));
  }
  return OPSRUN_OK;
}

int32_t DeviceCall::AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, uint32_t temp_flags,
                                 const opsrun_tensor** t) {
  const bool on_cpu = !on_card() || (temp_flags & OPSRUN_TEMP_ON_HOST) != 0;
  const int32_t code = Call::AllocateTemp(dtype, rank, dims, on_cpu ? Place() : place_, t);
  if (code == OPSRUN_OK && on_cpu && on_card()) KeepOnCpu(Share(Temporary::Of(*t)->tensor()));
  return code;
}

}  // namespace opsrun_torch

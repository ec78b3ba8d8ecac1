// adapters/pytorch/native/device_call.h: one execution of a kernel on tensors in the memory of a card.
//
// The kernel runs on PyTorch's current stream, and all memory comes from PyTorch. Arguments that it expects in CPU
// memory are copied: before the call, which waits for them, and after it. If the op has no kernel for cards, those are
// all, and the call runs on the CPU. Results are always on the card.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "adapters/common/card.h"
#include "call.h"
#include "op.h"

namespace opsrun_torch {

class DeviceCall : public Call {
 public:
  // table: must outlive this object. its_kernel: of the op, for this card, or for the CPU. place: with PyTorch's
  // current stream. Raises if that is captured and a graph cannot have this call.
  DeviceCall(const opsrun_host* table, std::shared_ptr<const TypedOp> op, const opsrun_kernel_object* its_kernel,
             const Place& place);
  ~DeviceCall();

  // Adds the next input, which is on the card or in CPU memory.
  void AddInput(const TypeNumbers& type, AtenTensorHandle tensor, int32_t rank);
  int32_t Run();
  opsrun_adapter::Card& card() { return card_; }

  // Slots of the table.
  int32_t AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags, const opsrun_tensor** t);
  int32_t ParallelFor(int64_t n, int64_t, opsrun_range_fn fn, void* ctx) { return n <= 0 ? OPSRUN_OK : fn(ctx, 0, n); }
  int32_t NumThreads() const { return 1; }
  int32_t CurrentThread() const { return -1; }

 private:
  bool on_card() const { return device.type == OPSRUN_DEVICE_CUDA; }
  bool is_captured() const { return (flags & OPSRUN_CALL_CAPTURING) != 0; }
  void CheckCapture(uint32_t kernel_flags, const std::vector<bool>& outputs_on_cpu) const;
  [[noreturn]] void RefuseCapture(const char* why) const;
  // A copy of an input in CPU memory or on the card.
  Tensor CopyTo(const Place& place, const TypeNumbers& type, AtenTensorHandle tensor, bool is_there);
  // Keeps memory of the CPU until the stream has passed.
  void KeepOnCpu(Tensor tensor);

  const std::shared_ptr<const TypedOp> op_;
  const Place place_;
  opsrun_adapter::Card& card_;
  const std::vector<bool> inputs_on_cpu_;  // by input: the kernel expects it in CPU memory
  size_t n_added_ = 0;
  std::mutex mutex_;  // guards on_cpu_
  std::vector<std::shared_ptr<void>> on_cpu_;
};

}  // namespace opsrun_torch

// adapters/jax/native/device_call.h: one execution of a kernel on XLA's buffers in the memory of a card.
//
// The kernel runs on XLA's stream. Arguments that it expects in CPU memory are copied: before the call, which waits for
// them, and after it. If the op has no kernel for cards, those are all, and the call runs on the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "adapters/common/card.h"
#include "call.h"

namespace opsrun_jax {

class DeviceCall;

// A tensor whose memory others may share.
class SharedTensor : public opsrun_adapter::StreamView {
 public:
  // card: where the memory is; -1: in CPU memory.
  SharedTensor(const opsrun_host* its_host, const TypeNumbers& type, int32_t its_rank, const int64_t* dims,
               std::shared_ptr<void> its_memory, int32_t card, void* its_stream);
  SharedTensor(const SharedTensor&) = delete;

  const std::shared_ptr<void>& memory() const { return memory_; }

 private:
  std::vector<int64_t> sizes_;  // shape, then strides
  const std::shared_ptr<void> memory_;
};

class DeviceCall : public Call {
 public:
  using Temporary = opsrun_adapter::Temporary<SharedTensor>;

  // All must outlive this object. kernel: for this card, or for the CPU.
  DeviceCall(const opsrun_host* table, const TypedOp& op, const opsrun_kernel_object& kernel,
             const XLA_FFI_CallFrame& frame, int32_t ordinal, void* its_stream);
  ~DeviceCall();

  int32_t Run();
  opsrun_adapter::Card& card() { return card_; }

  // Slots of the host's table. XLA has no threads for calls on cards.
  int32_t SetOutput(uint32_t i, const opsrun_tensor* t);
  int32_t AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags, const opsrun_tensor** t);
  static int32_t Keep(const opsrun_tensor& t, const opsrun_tensor** kept);
  int32_t ParallelFor(int64_t n, int64_t, opsrun_range_fn fn, void* ctx) { return n <= 0 ? OPSRUN_OK : fn(ctx, 0, n); }
  int32_t NumThreads() const { return 1; }
  int32_t CurrentThread() const { return -1; }

 private:
  // An input or output.
  struct View : opsrun_adapter::StreamView {
    DeviceCall* call;
    void* buffer;                  // XLA's
    std::shared_ptr<void> memory;  // the copy in CPU memory; null: the kernel uses the buffer
    size_t bytes;
  };

  bool on_card() const { return device.type == OPSRUN_DEVICE_CUDA; }
  int32_t ShowViews();
  int32_t ShowInCpuMemory(View& view, bool input);
  int32_t ReturnOutputs();
  int32_t Check(int error, const char* what);
  std::shared_ptr<void> AllocateOnCpu(size_t bytes);
  std::shared_ptr<void> AllocateOnCard(size_t bytes);
  // Keeps a tensor in CPU memory until the stream has passed what copies it. Returns a CUresult.
  int KeepUntilCopied(const opsrun_tensor& t);
  Temporary* Make(const TypeNumbers& type, int32_t rank, const int64_t* dims, std::shared_ptr<void> memory,
                  bool is_on_card) const;
  // Copies an input or an output on the card; null if there is not enough memory.
  Temporary* CopyOf(const View& view, const TypeNumbers& type);

  const int32_t ordinal_;
  void* const stream_;
  opsrun_adapter::Card& card_;
  std::vector<View> views_;
  std::vector<opsrun_tensor*> pointers_;
  std::vector<std::shared_ptr<void>> cpu_memory_;  // kept until the stream has passed
};

}  // namespace opsrun_jax

// adapters/common/card.h: the CUDA driver, found at run time, and tensors in the memory of cards.
//
// Building an adapter requires nothing of CUDA, and a process without arrays on a card does not load the driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "opsrun/embed_host.h"

namespace opsrun_adapter {

// A view of a tensor that an adapter shows kernels for cards. All its views without OPSRUN_TENSOR_HOST are of this
// class.
struct StreamView : opsrun_tensor {
  void* stream = nullptr;  // whose work may use the tensor
};

// Turns a view after Expect and Show into one of a card's memory.
inline void MoveToCard(opsrun_tensor& view, int32_t card) {
  view.device = {OPSRUN_DEVICE_CUDA, card};
  view.flags &= ~OPSRUN_TENSOR_HOST;
}

// X(name, suffix of the symbol, parameters). Streams, events and contexts are void*, device addresses as well, and
// CUresult is int. All drivers from 11.4 on have these functions.
#define OPSRUN_ADAPTER_CUDA_CALLS(X)                                                  \
  X(cuInit, , (unsigned flags))                                                       \
  X(cuGetErrorName, , (int error, const char** name))                                 \
  X(cuDeviceGet, , (int* device, int ordinal))                                        \
  X(cuDevicePrimaryCtxRetain, , (void** context, int device))                         \
  X(cuCtxPushCurrent, _v2, (void* context))                                           \
  X(cuCtxPopCurrent, _v2, (void** context))                                           \
  X(cuCtxSynchronize, , ())                                                           \
  X(cuStreamCreate, , (void** stream, unsigned flags))                                \
  X(cuStreamSynchronize, , (void* stream))                                            \
  X(cuStreamIsCapturing, , (void* stream, int* status))                               \
  X(cuStreamWaitEvent, , (void* stream, void* event, unsigned flags))                 \
  X(cuEventCreate, , (void** event, unsigned flags))                                  \
  X(cuEventDestroy, _v2, (void* event))                                               \
  X(cuEventRecord, , (void* event, void* stream))                                     \
  X(cuEventQuery, , (void* event))                                                    \
  X(cuMemcpyHtoDAsync, _v2, (void* to, const void* from, size_t bytes, void* stream)) \
  X(cuMemcpyDtoHAsync, _v2, (void* to, const void* from, size_t bytes, void* stream)) \
  X(cuMemcpyDtoDAsync, _v2, (void* to, const void* from, size_t bytes, void* stream))

// A card, in its primary context, which other libraries use, too. Any thread. Methods return a CUresult, 0 for success.
class Card {
 public:
  // Loads the driver at the first call. Throws (Throw) UNAVAILABLE, saying why, if there is no driver or no such card.
  static Card& Get(int32_t ordinal);

  // "what: CUDA_ERROR_INVALID_VALUE"; "" for 0.
  static std::string TextOf(int error, const std::string& what);

  // Enqueues a copy. What is copied to memory of the CPU is there when it returns. What is copied from it must stay
  // until the stream has passed: drivers stage memory that is not page-locked, but cards that read it themselves exist.
  int Copy(void* to, bool to_cpu, const void* from, bool from_cpu, size_t bytes, void* stream) const;
  // Waits until the work on the stream is done.
  int Wait(void* stream) const;
  // Waits until all work on the card is done.
  int WaitForAll() const;
  // Whether work on the stream goes into a CUDA graph instead of being executed.
  bool IsCapturing(void* stream) const;
  // Work that is enqueued on `then` from now on waits for what is now on `first`.
  int Order(void* first, void* then) const;
  // Stream 0 to 3 besides those of the framework.
  static constexpr uint32_t kSideStreams = 4;
  int SideStream(uint32_t i, void*& stream);

  // Keeps memory of the CPU until the work that is now on the stream is done, or longer.
  void FreeAfter(void* stream, std::vector<std::shared_ptr<void>> memory) noexcept;

  // The card's context is current on this thread as long as this lives, unless there is an error.
  class Current {
   public:
    explicit Current(const Card& card) noexcept;
    Current(const Current&) = delete;
    ~Current();
    int error() const { return error_; }  // a CUresult

   private:
    int error_;
  };

 private:
  struct Waiting {
    void* event;
    std::vector<std::shared_ptr<void>> memory;
  };

  explicit Card(int32_t ordinal);
  void FreeDone();

  void* context_ = nullptr;
  std::mutex mutex_;  // guards the members below
  void* side_streams_[kSideStreams] = {};
  std::vector<Waiting> waiting_;
};

// Whether a kernel expects each of n tensors in CPU memory: its inputs, or its outputs. on_cpu: it runs there.
std::vector<bool> InCpuMemory(const opsrun_arg* args, uint32_t n_args, size_t n, bool on_cpu);

// What record_use of opsrun_cuda does. table: the host of the caller's tensors. Returns an OPSRUN_* code.
int32_t RecordUse(const opsrun_tensor* t, void* stream, const opsrun_host* table);

}  // namespace opsrun_adapter

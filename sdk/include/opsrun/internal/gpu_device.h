// opsrun/internal/gpu_device.h: Eigen::GpuDevice on the stream of a call.
//
// EIGEN_USE_GPU must be defined before Eigen's Tensor header is included.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The properties that Eigen and launch configurations ask for, of each card asked once in a process. Eigen's own answer
// to this waits for a second where two threads begin at once.
inline const cudaDeviceProp& PropertiesOfCard(int card) {
  constexpr int kMost = 64;
  struct Cards {
    cudaDeviceProp of[kMost];
    Cards() {
      for (int i = 0; i < kMost; ++i) of[i] = Ask(i);
    }
    static cudaDeviceProp Ask(int i) {
      cudaDeviceProp card = {};
      int shared = 0;
      cudaDeviceGetAttribute(&card.multiProcessorCount, cudaDevAttrMultiProcessorCount, i);
      cudaDeviceGetAttribute(&card.maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock, i);
      cudaDeviceGetAttribute(&card.maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor, i);
      cudaDeviceGetAttribute(&card.major, cudaDevAttrComputeCapabilityMajor, i);
      cudaDeviceGetAttribute(&card.minor, cudaDevAttrComputeCapabilityMinor, i);
      cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, i);
      card.sharedMemPerBlock = static_cast<size_t>(shared);
      cudaGetLastError();  // there are fewer cards
      return card;
    }
  };
  static const Cards cards;
  return cards.of[card >= 0 && card < kMost ? card : 0];
}

// Eigen's view of the stream. What Eigen allocates is a temporary of the call, which the host frees once the stream has
// passed.
class CallStream : public Eigen::StreamInterface {
 public:
  explicit CallStream(opsrun_call* call) : call_(call), stream_(static_cast<cudaStream_t>(call->stream)) {}
  CallStream(const CallStream&) = delete;
  ~CallStream() override {
    for (const opsrun_tensor* tensor : tensors_) tensor->host->release(tensor);
  }

  const cudaStream_t& stream() const override { return stream_; }
  const cudaDeviceProp& deviceProperties() const override { return PropertiesOfCard(call_->device.id); }
  void* allocate(size_t bytes) const override {
    const auto n = static_cast<int64_t>(bytes);
    const opsrun_tensor* tensor = nullptr;
    if (call_->host->allocate_temp(call_, OPSRUN_DT_UINT8, 1, &n, 0, &tensor) != OPSRUN_OK) return nullptr;
    tensors_.push_back(tensor);
    return tensor->data;
  }
  void deallocate(void* buffer) const override {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i]->data != buffer) continue;
      tensors_[i]->host->release(tensors_[i]);
      tensors_.erase(tensors_.begin() + static_cast<ptrdiff_t>(i));
      return;
    }
  }
  void* scratchpad() const override {
    if (scratch_ == nullptr) scratch_ = allocate(kScratchBytes + sizeof(unsigned int));
    return scratch_;
  }
  unsigned int* semaphore() const override {
    if (semaphore_ == nullptr && scratchpad() != nullptr) {
      semaphore_ = reinterpret_cast<unsigned int*>(static_cast<char*>(scratch_) + kScratchBytes);
      cudaMemsetAsync(semaphore_, 0, sizeof(unsigned int), stream_);
    }
    return semaphore_;
  }

 private:
  static constexpr size_t kScratchBytes = 1024;  // as Eigen has it

  opsrun_call* const call_;
  const cudaStream_t stream_;
  mutable std::vector<const opsrun_tensor*> tensors_;
  mutable void* scratch_ = nullptr;
  mutable unsigned int* semaphore_ = nullptr;
};

template <>
struct DeviceOf<Eigen::GpuDevice> {
  template <typename Context>
  explicit DeviceOf(Context* context) : stream_(context->call()), device_(&stream_) {}
  const Eigen::GpuDevice& device() const { return device_; }

 private:
  CallStream stream_;
  Eigen::GpuDevice device_;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

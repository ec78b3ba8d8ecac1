// opsrun/internal/gpu_device.h: Eigen::GpuDevice on the stream of a call.
//
// EIGEN_USE_GPU must be defined before Eigen's Tensor header is included.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "opsrun/c_api.h"
#include "opsrun/internal/gpu_runtime.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The parts of a stream that Eigen uses. Eigen's own class would sleep for a second if two threads used their first
// device at the same time, and would allocate memory in ways that wait for the card.
class CallStream final : public Eigen::StreamInterface {
 public:
  explicit CallStream(opsrun_call* call) : call_(call), stream_(static_cast<cudaStream_t>(call->stream)) {}
  CallStream(const CallStream&) = delete;
  CallStream& operator=(const CallStream&) = delete;
  ~CallStream() override {
    while (temporaries_ != nullptr) Release(&temporaries_);
  }

  const cudaStream_t& stream() const override { return stream_; }

  // Only the fields that GpuDevice reads; the runtime takes a thousand times as long to return all of them.
  const cudaDeviceProp& deviceProperties() const override {
    if (properties_ == nullptr) {
      properties_ = std::make_unique<cudaDeviceProp>();
      properties_->multiProcessorCount = Ask(cudaDevAttrMultiProcessorCount);
      properties_->maxThreadsPerBlock = Ask(cudaDevAttrMaxThreadsPerBlock);
      properties_->maxThreadsPerMultiProcessor = Ask(cudaDevAttrMaxThreadsPerMultiProcessor);
      properties_->sharedMemPerBlock = static_cast<size_t>(Ask(cudaDevAttrMaxSharedMemoryPerBlock));
      properties_->major = Ask(cudaDevAttrComputeCapabilityMajor);
      properties_->minor = Ask(cudaDevAttrComputeCapabilityMinor);
      properties_->warpSize = Ask(cudaDevAttrWarpSize);
    }
    return *properties_;
  }

  // Temporaries of the host, which are freed in stream order, at the latest when the call returns.
  void* allocate(size_t bytes) const override {
    const opsrun_tensor* view = nullptr;
    const int64_t dims[] = {static_cast<int64_t>(bytes)};
    const int32_t code = call_->host->allocate_temp(call_, OPSRUN_DT_UINT8, 1, dims, 0, &view);
    if (code != OPSRUN_OK) {
      Fail(Error(static_cast<error::Code>(code), "The host cannot allocate %zu bytes on the device", bytes));
    }
    temporaries_ = new Temporary{view, temporaries_};
    return view->data;
  }
  void deallocate(void* memory) const override {
    Temporary** link = &temporaries_;
    while (*link != nullptr && (*link)->view->data != memory) link = &(*link)->next;
    if (*link != nullptr) Release(link);
  }

  void* scratchpad() const override {
    if (scratch_ == nullptr) scratch_ = static_cast<char*>(allocate(Eigen::kGpuScratchSize + sizeof(unsigned)));
    return scratch_;
  }
  unsigned* semaphore() const override {
    if (semaphore_ == nullptr) {
      auto* place = reinterpret_cast<unsigned*>(static_cast<char*>(scratchpad()) + Eigen::kGpuScratchSize);
      Check(cudaMemsetAsync(place, 0, sizeof(unsigned), stream_));
      semaphore_ = place;
    }
    return semaphore_;
  }

 private:
  struct Temporary {
    const opsrun_tensor* view;
    Temporary* next;
  };

  static void Release(Temporary** link) {
    Temporary* released = *link;
    *link = released->next;
    released->view->host->release(released->view);
    delete released;
  }
  static void Check(cudaError_t error) {
    if (error == cudaSuccess) return;
    cudaGetLastError();
    Fail(GpuError(error, "A CUDA call for Eigen's device failed"));
  }
  int Ask(cudaDeviceAttr attribute) const {
    int value = 0;
    Check(cudaDeviceGetAttribute(&value, attribute, call_->device.id));
    return value;
  }

  opsrun_call* call_;
  cudaStream_t stream_;
  mutable std::unique_ptr<cudaDeviceProp> properties_;
  mutable Temporary* temporaries_ = nullptr;
  mutable char* scratch_ = nullptr;
  mutable unsigned* semaphore_ = nullptr;
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

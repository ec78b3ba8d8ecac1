// opsrun/internal/eigen_devices.h: creates Eigen's devices. Included after both Eigen and device_box.h.
//
// Eigen::ThreadPoolDevice is on the threads of the host; gpu_device.h has Eigen::GpuDevice.
// Eigen waits for the tasks that it creates. So a task is scheduled only if the host guarantees that it runs without
// waiting for a blocked task; otherwise the caller runs it immediately.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <new>
#include <utility>

#include "opsrun/namespace.h"
#include "opsrun/thread_pool.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

class EigenThreads final : public Eigen::ThreadPoolInterface {
 public:
  explicit EigenThreads(const thread::ThreadPool* pool) : pool_(pool) {}

  void Schedule(std::function<void()> fn) override { pool_->Schedule(std::move(fn)); }
  int NumThreads() const override { return pool_->NumThreads(); }
  int CurrentThreadId() const override { return pool_->CurrentThreadId(); }

 private:
  const thread::ThreadPool* pool_;
};

// A template, because the context is complete only where a device is used.
template <>
struct DeviceOf<Eigen::ThreadPoolDevice> {
  template <typename Context>
  explicit DeviceOf(Context* context)
      : pool_(context->call(), context), device_(pool_.AsEigenThreadPool(), pool_.NumThreads()) {}
  const Eigen::ThreadPoolDevice& device() const { return device_; }

 private:
  thread::ThreadPool pool_;
  Eigen::ThreadPoolDevice device_;
};

}  // namespace internal

// Constructed again by each call, with the same contents. It owns nothing, so it is never destroyed.
inline Eigen::ThreadPoolInterface* thread::ThreadPool::AsEigenThreadPool() {
  static_assert(sizeof(internal::EigenThreads) <= sizeof(eigen_), "the pool has room for it");
  return new (eigen_) internal::EigenThreads(this);
}

}  // namespace OPSRUN_HIDDEN

#if defined(EIGEN_USE_GPU) && (defined(GOOGLE_CUDA) || defined(__CUDACC__) || defined(OPSRUN_CUDA_EMULATION))
#include "opsrun/internal/gpu_device.h"
#endif

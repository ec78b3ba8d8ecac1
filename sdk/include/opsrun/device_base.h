// opsrun/device_base.h: DeviceBase, which gives a kernel access to the worker threads, and the box of a call's Eigen
// device.
//
//   auto workers = *context->device()->tensorflow_cpu_worker_threads();
//   Shard(workers.num_threads, workers.workers, total, cost, fn);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <new>
#include <string>
#include <type_traits>

#include "opsrun/c_api.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"
#include "opsrun/thread_pool.h"

// Lets kernels name the devices without Eigen's headers.
namespace Eigen {
struct ThreadPoolDevice;
struct GpuDevice;
}  // namespace Eigen

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Valid while Compute runs, as are copies of CpuWorkerThreads.
class DeviceBase {
 public:
  struct CpuWorkerThreads {
    int num_threads;
    thread::ThreadPool* workers;
  };

  DeviceBase(opsrun_call* call, OpKernelContext* context) : call_(call), pool_(call, context) {}
  ~DeviceBase() {}  // the pool of a call owns nothing

  // "/device:CPU:0" or "/device:GPU:1".
  OPSRUN_COLD std::string name() const {
    return internal::Format("/device:%s:%d", call_->device.type == OPSRUN_DEVICE_CUDA ? "GPU" : "CPU",
                            call_->device.id);
  }

  const CpuWorkerThreads* tensorflow_cpu_worker_threads() {
    threads_ = {pool_.NumThreads(), &pool_};
    return &threads_;
  }

 private:
  opsrun_call* call_;
  union {
    thread::ThreadPool pool_;
  };
  CpuWorkerThreads threads_;
};

namespace internal {

// Constructed from an OpKernelContext*; has a method device(). eigen_is_in.h has the specializations.
template <typename Device, typename = void>
struct DeviceOf {
  static_assert(!std::is_same_v<Device, Device>,
                "eigen_device needs Eigen: #include <unsupported/Eigen/CXX11/Tensor> in this file "
                "(for GpuDevice with EIGEN_USE_GPU defined before), or put the SDK's flags before your Eigen's");
};

// The Eigen device of a call, created on first use. It is not initialized, and Destroy is not a destructor: its owner
// knows whether there is a device, and a call without one writes nothing.
class DeviceBox {
 public:
  DeviceBox() {}
  DeviceBox(const DeviceBox&) = delete;

  template <typename Device>
  void Make(OpKernelContext* context) {
    typedef DeviceOf<Device> Holder;
    static_assert(sizeof(Holder) <= kBytes && alignof(Holder) <= alignof(max_align_t),
                  "the device does not fit its box");
    new (bytes_) Holder(context);
    destroy_ = [](void* holder) { static_cast<Holder*>(holder)->~Holder(); };
  }
  // Requires, here and below: Make was called.
  template <typename Device>
  const Device& Get() {
    return reinterpret_cast<DeviceOf<Device>*>(bytes_)->device();
  }
  void Destroy() { destroy_(bytes_); }

 private:
  static constexpr size_t kBytes = 128;

  void (*destroy_)(void*);
  alignas(max_align_t) unsigned char bytes_[kBytes];
};

}  // namespace internal

}  // namespace OPSRUN_HIDDEN

#define OPSRUN_DEVICES_DECLARED
#ifdef OPSRUN_EIGEN_IS_IN
#include "opsrun/internal/eigen_is_in.h"
#endif

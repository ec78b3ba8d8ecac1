// opsrun/device_base.h: DeviceBase, which gives a kernel access to the worker threads.
//
//   auto workers = *context->device()->tensorflow_cpu_worker_threads();
//   Shard(workers.num_threads, workers.workers, total, cost, fn);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/c_api.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"
#include "opsrun/thread_pool.h"

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

}  // namespace OPSRUN_HIDDEN

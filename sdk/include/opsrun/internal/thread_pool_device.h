// opsrun/internal/thread_pool_device.h: Eigen::ThreadPoolDevice on the threads of the host.
//
// Eigen waits for the tasks that it makes. A task is therefore scheduled only if the host guarantees that it runs
// without waiting for a blocked task; otherwise the caller runs it immediately.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/internal/guard.h"
#include "opsrun/namespace.h"
#include "opsrun/thread_pool.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

class CallThreadPool : public Eigen::ThreadPoolInterface {
 public:
  CallThreadPool(opsrun_call* call, OpKernelContext* context) : call_(call), context_(context) {}

  void Schedule(std::function<void()> fn) override {
    auto* task = new Task{context_, std::move(fn)};
    if (call_->host->try_schedule(call_, &Task::Run, task) == 0) Task::Run(task);
  }
  int NumThreads() const override { return call_->host->num_threads(call_); }
  int CurrentThreadId() const override { return call_->host->current_thread(call_); }

 private:
  struct Task {
    OpKernelContext* context;
    std::function<void()> fn;
    // Eigen counts a task as done inside fn, and the call may end immediately afterwards. The task is therefore deleted
    // first, and the context is used only on failure.
    static void Run(void* self) {
      OpKernelContext* context = static_cast<Task*>(self)->context;
      std::function<void()> fn = std::move(static_cast<Task*>(self)->fn);
      delete static_cast<Task*>(self);
      const Status status = Guarded([&] {
        fn();
        return Status();
      });
      if (!status.ok()) SetStatus(context, status);
    }
  };

  opsrun_call* call_;
  OpKernelContext* context_;
};

// A template, because the context is complete only where a device is used.
template <>
struct DeviceOf<Eigen::ThreadPoolDevice> {
  template <typename Context>
  explicit DeviceOf(Context* context) : pool_(context->call(), context), device_(&pool_, pool_.NumThreads()) {}
  const Eigen::ThreadPoolDevice& device() const { return device_; }

 private:
  CallThreadPool pool_;
  Eigen::ThreadPoolDevice device_;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// opsrun/thread_pool_device.h: Eigen::ThreadPoolDevice on the host's threads.
//
// Eigen waits for the tasks that it makes. So a task is given to a thread only if the host promises that it runs without waiting for a
// blocked one; otherwise the caller runs it at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/internal/guard.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

class CallThreadPool : public Eigen::ThreadPoolInterface {
 public:
  explicit CallThreadPool(opsrun_call* call) : call_(call) {}

  void Schedule(std::function<void()> fn) override {
    auto* task = new Task{call_, std::move(fn)};
    if (call_->host->try_schedule(call_, &Task::Run, task) == 0) Task::Run(task);
  }
  int NumThreads() const override { return call_->host->num_threads(call_); }
  int CurrentThreadId() const override { return call_->host->current_thread(call_); }

 private:
  struct Task {
    opsrun_call* call;
    std::function<void()> fn;
    static void Run(void* self) {
      Task* task = static_cast<Task*>(self);
      opsrun_call* call = task->call;
      Report(call->host, call, Guarded([&] {
               task->fn();
               return Status();
             }));
      delete task;
    }
  };

  opsrun_call* call_;
};

template <>
struct DeviceOf<Eigen::ThreadPoolDevice> {
  explicit DeviceOf(opsrun_call* call) : pool_(call), device_(&pool_, pool_.NumThreads()) {}
  const Eigen::ThreadPoolDevice& device() const { return device_; }

 private:
  CallThreadPool pool_;
  Eigen::ThreadPoolDevice device_;
};

}  // namespace internal
}  // namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN

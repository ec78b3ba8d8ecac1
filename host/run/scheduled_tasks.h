// host/run/scheduled_tasks.h: what kernels schedule on other threads, and wait for. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "host/threads/thread_pool.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// What the kernels of a lane have scheduled and not yet waited for. Any thread, except where it says otherwise.
class ScheduledTasks {
 public:
  ScheduledTasks() = default;
  ScheduledTasks(const ScheduledTasks&) = delete;

  // Returns true if another thread of the pool will run fn(ctx) for the call.
  bool Try(ThreadPool& pool, opsrun_call* call, opsrun_task_fn fn, void* ctx);
  // Waits for the tasks of the call; meanwhile the thread does other work of the pool. Returns the first code that is
  // not OPSRUN_OK. On the thread of the call.
  int32_t Wait(const opsrun_call* call);
  // After a run: true if a call did not wait. WaitForRest does, and returns that call.
  bool has_rest() const { return any_.load(std::memory_order_relaxed); }
  const opsrun_call* WaitForRest();

 private:
  struct Group;
  struct Task;

  std::atomic<bool> any_{false};  // groups_ is not empty
  std::mutex mutex_;              // guards groups_
  std::map<const opsrun_call*, std::shared_ptr<Group>> groups_;
};

}  // namespace opsrun::host

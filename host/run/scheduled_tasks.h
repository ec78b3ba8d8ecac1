// host/run/scheduled_tasks.h: what kernels schedule on other threads, and wait for. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "host/threads/thread_pool.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// What the kernels of a lane have scheduled and not yet waited for. Any thread, except where it says otherwise.
class ScheduledTasks {
 public:
  ScheduledTasks() = default;
  ScheduledTasks(const ScheduledTasks&) = delete;

  // Returns true if another thread of the pool will run fn(ctx) for the call; false also if memory is short.
  bool Try(ThreadPool& pool, opsrun_call* call, opsrun_task_fn fn, void* ctx);

  // Waits for the tasks of the call, on its thread, and returns the first code that is not OPSRUN_OK. Does no other
  // work meanwhile: a kernel may hold a lock that this work would take. Nothing if there are no tasks.
  std::optional<int32_t> Wait(const opsrun_call* call);

  // True on a thread that runs a task of the call, which would wait for itself.
  static bool IsTaskOf(const opsrun_call* call);

  // Not 0 if a call has tasks that it has not waited for.
  uint32_t rest() const { return rest_.load(std::memory_order_relaxed); }

 private:
  struct Group;
  struct Task;

  bool Schedule(ThreadPool& pool, opsrun_call* call, opsrun_task_fn fn, void* ctx);

  std::atomic<uint32_t> rest_{0};  // groups_.size()
  std::mutex mutex_;               // guards groups_
  std::map<const opsrun_call*, std::shared_ptr<Group>> groups_;
};

}  // namespace opsrun::host

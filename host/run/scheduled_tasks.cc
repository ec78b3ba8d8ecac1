// SPDX-License-Identifier: Apache-2.0
#include "host/run/scheduled_tasks.h"

#include <utility>

#include "host/run/call_slots.h"

namespace opsrun::host {
namespace {

thread_local const opsrun_call* task_of = nullptr;

}  // namespace

// The tasks of one call. Lives as long as one of them, because the caller may stop waiting while the last one ends.
struct ScheduledTasks::Group {
  void End() {
    if (running.fetch_sub(1, std::memory_order_acq_rel) == 1) running.notify_all();
  }

  std::atomic<int> running{0};
  std::atomic<int32_t> code{OPSRUN_OK};
};

struct ScheduledTasks::Task {
  const std::shared_ptr<Group> group;
  opsrun_call* const call;
  const opsrun_task_fn fn;
  void* const ctx;

  static void Run(void* self) {
    const std::unique_ptr<const Task> task(static_cast<const Task*>(self));
    const opsrun_call* const before = std::exchange(task_of, task->call);
    const int32_t code = CallPlugin(task->call, "a function that it scheduled", [&] { return task->fn(task->ctx); });
    task_of = before;
    int32_t none = OPSRUN_OK;
    if (code != OPSRUN_OK) task->group->code.compare_exchange_strong(none, code, std::memory_order_relaxed);
    task->group->End();
  }
};

bool ScheduledTasks::Try(ThreadPool& pool, opsrun_call* call, opsrun_task_fn fn, void* ctx) {
  bool scheduled = false;
  CatchThrown([&] { scheduled = Schedule(pool, call, fn, ctx); });  // lack of memory
  return scheduled;
}

bool ScheduledTasks::Schedule(ThreadPool& pool, opsrun_call* call, opsrun_task_fn fn, void* ctx) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [known, is_new] = groups_.emplace(call, nullptr);
  if (known->second == nullptr) known->second = std::make_shared<Group>();
  std::unique_ptr<Task> task(new Task{known->second, call, fn, ctx});
  known->second->running.fetch_add(1, std::memory_order_relaxed);
  const bool scheduled = pool.TrySchedule(Task::Run, task.get());
  if (scheduled) {
    static_cast<void>(task.release());
  } else {
    known->second->End();
    if (is_new) groups_.erase(known);
  }
  rest_.store(static_cast<uint32_t>(groups_.size()), std::memory_order_relaxed);
  return scheduled;
}

// The group stays known while the call waits: its tasks may schedule more.
std::optional<int32_t> ScheduledTasks::Wait(const opsrun_call* call) {
  std::shared_ptr<Group> group;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = groups_.find(call);
    if (found == groups_.end()) return std::nullopt;
    group = found->second;
  }
  if (group != nullptr) {
    for (int running; (running = group->running.load(std::memory_order_acquire)) != 0;) group->running.wait(running);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  groups_.erase(call);
  rest_.store(static_cast<uint32_t>(groups_.size()), std::memory_order_relaxed);
  return group == nullptr ? OPSRUN_OK : group->code.load(std::memory_order_relaxed);
}

bool ScheduledTasks::IsTaskOf(const opsrun_call* call) {
  return task_of == call;
}

}  // namespace opsrun::host

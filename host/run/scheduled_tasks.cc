// SPDX-License-Identifier: Apache-2.0
#include "host/run/scheduled_tasks.h"

#include "host/run/call_slots.h"

namespace opsrun::host {

// The tasks of one call. Lives as long as one of them, because the caller may stop waiting while the last one ends.
struct ScheduledTasks::Group : ThreadPool::Job {
  explicit Group(ThreadPool& its_pool) : pool(its_pool) {}
  void Help() override {}  // no thread is invited: each task has one

  // One of those that count has ended.
  void End() {
    if (count.fetch_sub(1, std::memory_order_acq_rel) == 1) pool.Finish(*this);
  }
  int32_t Wait() {
    if (count.fetch_sub(1, std::memory_order_acq_rel) != 1) pool.AwaitFinish(*this);
    return code.load(std::memory_order_relaxed);
  }

  ThreadPool& pool;
  std::atomic<int> count{1};  // tasks that have not ended, and the one that will wait for them
  std::atomic<int32_t> code{OPSRUN_OK};
};

struct ScheduledTasks::Task {
  const std::shared_ptr<Group> group;
  opsrun_call* const call;
  const opsrun_task_fn fn;
  void* const ctx;

  static void Run(void* self) {
    const std::unique_ptr<const Task> task(static_cast<const Task*>(self));
    const int32_t code = CallPlugin(task->call, "a function that it scheduled", [&] { return task->fn(task->ctx); });
    int32_t none = OPSRUN_OK;
    if (code != OPSRUN_OK) task->group->code.compare_exchange_strong(none, code, std::memory_order_relaxed);
    task->group->End();
  }
};

bool ScheduledTasks::Try(ThreadPool& pool, opsrun_call* call, opsrun_task_fn fn, void* ctx) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = groups_.find(call);
  const std::shared_ptr<Group> group = known != groups_.end() ? known->second : std::make_shared<Group>(pool);
  if (group->count.load(std::memory_order_relaxed) == 0) return false;  // the call has already waited
  group->count.fetch_add(1, std::memory_order_relaxed);
  std::unique_ptr<Task> task(new Task{group, call, fn, ctx});
  if (!pool.TrySchedule(Task::Run, task.get())) {
    group->End();
    return false;
  }
  static_cast<void>(task.release());
  groups_.emplace(call, group);
  any_.store(true, std::memory_order_relaxed);
  return true;
}

// The group stays known while the call waits: its tasks may schedule more.
int32_t ScheduledTasks::Wait(const opsrun_call* call) {
  std::shared_ptr<Group> group;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = groups_.find(call);
    if (found == groups_.end()) return OPSRUN_OK;
    group = found->second;
  }
  const int32_t code = group->Wait();
  const std::lock_guard<std::mutex> lock(mutex_);
  groups_.erase(call);
  any_.store(!groups_.empty(), std::memory_order_relaxed);
  return code;
}

const opsrun_call* ScheduledTasks::WaitForRest() {
  const opsrun_call* last = nullptr;
  while (has_rest()) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      last = groups_.begin()->first;
    }
    Wait(last);
  }
  return last;
}

}  // namespace opsrun::host

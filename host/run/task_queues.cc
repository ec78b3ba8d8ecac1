// SPDX-License-Identifier: Apache-2.0
#include "host/run/task_queues.h"

#include <algorithm>

namespace opsrun::host {

TaskQueues::TaskQueues(const std::vector<Task>& tasks, int threads) : queues_(static_cast<size_t>(threads)) {
  homes_.reserve(tasks.size());
  for (const Task& task : tasks) {
    homes_.push_back(task.home % static_cast<uint32_t>(threads));
    ++queues_[homes_.back()].size;
  }
  for (Queue& queue : queues_) queue.entries.reset(new std::atomic<uint64_t>[queue.size] {});
}

void TaskQueues::Clear() {
  const bool is_used_up = ++run_ == 0;
  run_ += is_used_up ? 1 : 0;  // 0 is that of entries without a task
  for (Queue& queue : queues_) {
    for (uint32_t i = 0; is_used_up && i < queue.size; ++i) queue.entries[i].store(0, std::memory_order_relaxed);
    queue.taken.store(0, std::memory_order_relaxed);
    queue.put.store(0, std::memory_order_relaxed);
  }
}

void TaskQueues::Put(uint32_t task) {
  Queue& queue = queues_[homes_[task]];
  const uint32_t place = queue.put.fetch_add(1, std::memory_order_relaxed);
  queue.entries[place].store(uint64_t{run_} << 32 | task, std::memory_order_release);
}

// A place may be free while the one behind it is not; whoever has it fills it soon.
uint32_t TaskQueues::Next(const Queue& queue) const {
  const uint32_t place = queue.taken.load(std::memory_order_relaxed);
  if (place >= queue.size) return kNone;
  const uint64_t entry = queue.entries[place].load(std::memory_order_acquire);
  return entry >> 32 == run_ ? static_cast<uint32_t>(entry) : kNone;
}

uint32_t TaskQueues::Take(uint32_t thread) {
  Queue& queue = queues_[thread];
  uint32_t place = queue.taken.load(std::memory_order_relaxed);
  while (place < queue.size) {
    const uint64_t entry = queue.entries[place].load(std::memory_order_acquire);
    if (entry >> 32 != run_) return kNone;
    if (queue.taken.compare_exchange_weak(place, place + 1, std::memory_order_relaxed))
      return static_cast<uint32_t>(entry);
  }
  return kNone;
}

uint32_t TaskQueues::Steal(uint32_t thread) {
  for (size_t i = 1; i < queues_.size(); ++i) {
    const uint32_t task = Take(static_cast<uint32_t>((thread + i) % queues_.size()));
    if (task != kNone) return task;
  }
  return kNone;
}

bool TaskQueues::AreEmpty() const {
  return std::ranges::all_of(queues_, [&](const Queue& queue) { return Next(queue) == kNone; });
}

}  // namespace opsrun::host

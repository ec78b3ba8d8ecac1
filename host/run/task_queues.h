// host/run/task_queues.h: the tasks of a run that are ready, by the thread that they are meant for. Private to this
// room.
//
// In a run, each task is put at most once. So a queue is a list with a place for each of its tasks, and none is used
// twice: no lock is needed, and nothing is cleared between runs, because each entry has the number of its run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/plan/plan.h"

namespace opsrun::host {

class TaskQueues {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // threads: those of the pool. Tasks that are meant for threads beyond these are others'.
  TaskQueues(const std::vector<Task>& tasks, int threads);

  uint32_t HomeOf(uint32_t task) const { return homes_[task]; }
  // Between runs: removes all tasks.
  void Clear();
  // From any thread.
  void Put(uint32_t task);
  // Of those meant for `thread`, the one that was put first; kNone if there is none.
  uint32_t Take(uint32_t thread);
  // Of those of other threads.
  uint32_t Steal(uint32_t thread);
  bool IsEmpty(uint32_t thread) const { return Next(queues_[thread]) == kNone; }
  bool AreEmpty() const;

 private:
  // Threads write to these from both ends.
  struct alignas(64) Queue {
    std::unique_ptr<std::atomic<uint64_t>[]> entries;  // the number of the run, and the task
    uint32_t size = 0;
    alignas(64) std::atomic<uint32_t> taken{0};
    alignas(64) std::atomic<uint32_t> put{0};
  };

  uint32_t Next(const Queue& queue) const;

  std::vector<Queue> queues_;
  std::vector<uint32_t> homes_;  // by task
  uint32_t run_ = 0;
};

}  // namespace opsrun::host

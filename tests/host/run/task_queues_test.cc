// tests/host/run/task_queues_test.cc: tasks that are ready, taken by several threads.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/task_queues.h"

#include <gtest/gtest.h>

#include <thread>

namespace opsrun::host {
namespace {

std::vector<Task> TasksOf(const std::vector<uint32_t>& homes) {
  std::vector<Task> tasks(homes.size());
  for (size_t t = 0; t < homes.size(); ++t) tasks[t].home = homes[t];
  return tasks;
}

TEST(TaskQueuesTest, EachThreadTakesItsOwnInOrderAndThenThoseOfOthers) {
  TaskQueues queues(TasksOf({0, 1, 0, 1, 5}), 2);
  queues.Clear();
  EXPECT_TRUE(queues.AreEmpty());
  EXPECT_EQ(queues.Take(0), TaskQueues::kNone);
  for (const uint32_t task : {3u, 2u, 0u, 4u}) queues.Put(task);
  EXPECT_EQ(queues.HomeOf(4), 1u) << "there is no sixth thread";
  EXPECT_EQ(queues.Take(0), 2u);
  EXPECT_EQ(queues.Take(0), 0u);
  EXPECT_EQ(queues.Take(0), TaskQueues::kNone);
  EXPECT_TRUE(queues.IsEmpty(0));
  EXPECT_FALSE(queues.IsEmpty(1));
  EXPECT_EQ(queues.Steal(0), 3u);
  EXPECT_EQ(queues.Steal(1), TaskQueues::kNone);
  queues.Clear();
  EXPECT_TRUE(queues.AreEmpty()) << "4 was not taken";
  queues.Put(1);
  EXPECT_EQ(queues.Take(1), 1u);
}

TEST(TaskQueuesTest, EachTaskIsTakenOnce) {
  constexpr uint32_t kTasks = 1000;
  std::vector<uint32_t> homes;
  for (uint32_t t = 0; t < kTasks; ++t) homes.push_back(t % 7);
  TaskQueues queues(TasksOf(homes), 4);
  for (int run = 0; run < 20; ++run) {
    queues.Clear();
    std::vector<std::atomic<int>> taken(kTasks);
    std::atomic<uint32_t> left{kTasks};
    std::vector<std::thread> threads;
    for (uint32_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (uint32_t t = thread; t < kTasks; t += 4) queues.Put(t);
        while (left > 0) {
          uint32_t task = queues.Take(thread);
          if (task == TaskQueues::kNone) task = queues.Steal(thread);
          if (task == TaskQueues::kNone) continue;
          ++taken[task];
          --left;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::atomic<int>& times : taken) ASSERT_EQ(times, 1);
    EXPECT_TRUE(queues.AreEmpty());
  }
}

}  // namespace
}  // namespace opsrun::host

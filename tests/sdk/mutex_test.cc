// tests/sdk/mutex_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace opsrun {
namespace {

struct Counter {
  mutex mu;
  int count TF_GUARDED_BY(mu) = 0;
};

TEST(Mutex, LetsOneThreadInAtATime) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&counter] {
      for (int k = 0; k < 10000; ++k) {
        mutex_lock lock(counter.mu);
        ++counter.count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  mutex_lock lock(counter.mu);
  EXPECT_EQ(counter.count, 40000);
}

TEST(Mutex, IsSharedByReaders) {
  mutex mu(LINKER_INITIALIZED);
  tf_shared_lock one(mu), two(mu);
  EXPECT_FALSE(mu.try_lock());
  mutex_lock third(mu, std::try_to_lock);
  EXPECT_FALSE(third);
}

TEST(ConditionVariable, WakesWhoWaits) {
  mutex mu;
  condition_variable ready;
  bool is_ready = false;
  std::thread other([&] {
    mutex_lock lock(mu);
    is_ready = true;
    ready.notify_all();
  });
  {
    mutex_lock lock(mu);
    while (!is_ready) ready.wait(lock);
  }
  other.join();
  EXPECT_TRUE(is_ready);
}

}  // namespace
}  // namespace opsrun

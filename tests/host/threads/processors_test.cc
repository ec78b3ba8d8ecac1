// tests/host/threads/processors_test.cc: on which processor a thread runs that joins a job.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>

#include "tests/host/threads/jobs.h"

namespace opsrun::host {
namespace {

struct Place : ThreadPool::Job {
  void Help() override {
    processor = sched_getcpu();
    sched_getaffinity(0, sizeof allowed, &allowed);
    done = true;
  }
  int processor = -1;
  cpu_set_t allowed;  // the thread may run there
  std::atomic<bool> done{false};
};

// Unless others are in the way now and then.
TEST(ThreadPool, AThreadThatJoinsLeavesTheProcessorOfTheOneThatInvitedIt) {
  cpu_set_t all, here;
  sched_getaffinity(0, sizeof all, &all);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one processor";
  ThreadPool pool(2);
  const int processor = sched_getcpu();
  CPU_ZERO(&here);
  CPU_SET(static_cast<size_t>(processor), &here);
  sched_setaffinity(0, sizeof here, &here);
  int together = 0;
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    OnWorker(pool, [&] {
      sched_setaffinity(0, sizeof here, &here);
      sched_setaffinity(0, sizeof all, &all);
    });
    Place place;
    pool.Invite(place, 1);
    while (!place.done) {
    }
    pool.Dismiss(place);
    together += place.processor == processor ? 1 : 0;
    EXPECT_TRUE(CPU_EQUAL(&place.allowed, &all));
  }
  sched_setaffinity(0, sizeof all, &all);
  EXPECT_LE(together, 6);
}

}  // namespace
}  // namespace opsrun::host

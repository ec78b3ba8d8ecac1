// tests/host/run/scheduled_tasks_test.cc: what kernels schedule on other threads, and threads in a child of fork.
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

// On a device of no lock of its own, which would order what threads do.
class ScheduledTasksTest : public RunTest {
 protected:
  ScheduledTasksTest() {
    cpu_ = OpenCpuDevice();
    host_ = MakeHostTable(cpu_);
  }
};

// Tasks for two threads, of which the first one is the result.
constexpr char kTwoBranches[] = "  c: {op: Do, in: x}\n  other: {op: Do, in: x}\n";

// On a thread that is idle sooner or later.
void Schedule(opsrun_call* call, opsrun_task_fn fn, void* ctx) {
  while (call->host->try_schedule(call, fn, ctx) == 0) std::this_thread::yield();
}

TEST_F(ScheduledTasksTest, WaitingReturnsTheFirstFailureOfWhatWasScheduled) {
  to_do = [](opsrun_call* call) {
    Schedule(
        call, [](void*) -> int32_t { return OPSRUN_OUT_OF_RANGE; }, nullptr);
    EXPECT_EQ(call->host->wait_scheduled(call), OPSRUN_OUT_OF_RANGE);
    EXPECT_EQ(call->host->wait_scheduled(call), OPSRUN_OK) << "that was told";
    Schedule(
        call, [](void*) -> int32_t { throw std::runtime_error("thrown"); }, nullptr);
    return call->host->wait_scheduled(call);
  };
  Make("  a: {op: Do, in: x}\n", "a", 2);
  const RunFailure failure = Failure();
  EXPECT_EQ(failure.status.code(), OPSRUN_INTERNAL);
  EXPECT_NE(failure.status.message().find("thrown"), std::string::npos) << failure.status.message();
}

// What is scheduled may schedule more; waiting waits for all of it.
TEST_F(ScheduledTasksTest, WaitingIncludesWhatIsScheduledMeanwhile) {
  struct Work {
    opsrun_call* call;
    std::atomic<int> left;
    static int32_t Do(void* self) {
      Work& work = *static_cast<Work*>(self);
      for (int i = 0; i < 100; ++i) std::this_thread::yield();
      if (--work.left > 0 && work.call->host->try_schedule(work.call, Do, self) == 0) return Do(self);
      return OPSRUN_OK;
    }
  };
  to_do = [](opsrun_call* call) {
    Work work{call, 8};
    Schedule(call, Work::Do, &work);
    const int32_t code = call->host->wait_scheduled(call);
    EXPECT_EQ(work.left, 0);
    return code == OPSRUN_OK ? AddOne(nullptr, call) : code;
  };
  Make(kTwoBranches, "c", 4);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Output(), (Row{2, 3, 4}));
}

TEST_F(ScheduledTasksTest, AKernelThatDoesNotWaitFailsItsRunWhichWaits) {
  static std::atomic<bool> ended{false};
  to_do = [](opsrun_call* call) {
    Schedule(
        call,
        [](void*) -> int32_t {
          for (int i = 0; i < 1000; ++i) std::this_thread::yield();
          ended = true;
          return OPSRUN_OK;
        },
        nullptr);
    return AddOne(nullptr, call);
  };
  Make("  a: {op: Do, in: x}\n", "a", 2);
  const RunFailure failure = Failure();
  EXPECT_TRUE(ended);
  EXPECT_EQ(failure.status.code(), OPSRUN_INTERNAL);
}

TEST_F(ScheduledTasksTest, AScheduledFunctionCannotWaitForItself) {
  to_do = [](opsrun_call* call) {
    const auto wait = [](void* its_call) -> int32_t {
      auto* const call = static_cast<opsrun_call*>(its_call);
      return call->host->wait_scheduled(call);
    };
    Schedule(call, wait, call);
    return call->host->wait_scheduled(call);
  };
  Make("  a: {op: Do, in: x}\n", "a", 2);
  EXPECT_EQ(Failure().status.code(), OPSRUN_FAILED_PRECONDITION);
}

// In a child of fork, the workers do not exist, and one may have held the lock of the pool.
TEST_F(ScheduledTasksTest, AChildOfForkRunsOnOneThread) {
  to_do = [](opsrun_call* call) {
    const auto nothing = [](void*) -> int32_t { return OPSRUN_OK; };
    const bool alone = call->host->num_threads(call) == 1 && call->host->try_schedule(call, nothing, nullptr) == 0;
    return alone ? AddOne(nullptr, call) : OPSRUN_UNAVAILABLE;
  };
  Make(kTwoBranches, "c", 4);
  EXPECT_EQ(Failure().status.code(), OPSRUN_UNAVAILABLE);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool ran = !lane_->Run() && ValuesOf(lane_->Output(0)) == Row{2, 3, 4};
    lane_.reset();
    pool_.reset();
    _exit(ran ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace opsrun::host

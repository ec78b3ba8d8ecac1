// tests/host/run/parallel_run_test.cc: one plan on several threads and in several lanes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

int32_t AddBoth(void*, opsrun_call* call) {
  Row sum = RowOf(call->in[0]);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += Ints(call->in[1])[i];
  return Put(call, 0, sum);
}

// So many calls must be inside Meet at once before any of them returns.
std::atomic<int> here{0};
int expected_here = 0;
int32_t Meet(void*, opsrun_call* call) {
  ++here;
  while (here < expected_here && call->host->cancelled(call) == 0) std::this_thread::yield();
  return AddOne(nullptr, call);
}
int32_t FailLate(void*, opsrun_call* call) {
  ++here;
  while (here < expected_here) std::this_thread::yield();
  return call->host->fail(call->host, call, OPSRUN_ABORTED, C("no"), C(""));
}
std::atomic<int> counted{0};
int32_t CountCalls(void*, opsrun_call* call) {
  ++counted;
  return AddOne(nullptr, call);
}
int32_t UntilCancelled(void*, opsrun_call* call) {
  ++here;
  while (call->host->cancelled(call) == 0) std::this_thread::yield();
  return OPSRUN_CANCELLED;
}

// On a device of no lock of its own, which would order what threads do.
class ParallelRunTest : public RunTest {
 protected:
  ParallelRunTest() {
    cpu_ = OpenCpuDevice();
    host_ = MakeHostTable(cpu_);
    const std::vector<std::string> y = {"y: int32"}, ab = {"a: int32", "b: int32"};
    ops_.Add({.name = "Add", .inputs = ab, .outputs = y}, SameShape, AddBoth);
    ops_.Add({.name = "LateAdd", .inputs = ab, .outputs = y}, nullptr, AddBoth);
    Add("Meet", SameShape, Meet);
    Add("FailLate", SameShape, FailLate);
    Add("CountCalls", SameShape, CountCalls);
    Add("UntilCancelled", SameShape, UntilCancelled);
    here = expected_here = counted = 0;
  }

  // Sixteen threads, each with a lane of its own, which call `run` fifty times.
  void RunInManyThreads(const std::function<void(Lane&, int caller, int i)>& run) {
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 16; ++caller) {
      callers.emplace_back([&, caller] {
        const std::unique_ptr<Lane> lane = NewLane();
        for (int i = 0; i < 50; ++i) run(*lane, caller, i);
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
};

// `width` chains of `length` nodes from d, then their sum; each node adds 1.
std::string Comb(int width, int length, const std::string& op, const std::string& add) {
  std::string nodes, sum = fmt::format("n0_{}", length - 1);
  for (int w = 0; w < width; ++w) {
    for (int l = 0; l < length; ++l) {
      const std::string in = l == 0 ? "d" : fmt::format("n{}_{}", w, l - 1);
      nodes += fmt::format("  n{}_{}: {{op: {}, in: {}}}\n", w, l, op, in);
    }
    if (w == 0) continue;
    nodes += fmt::format("  s{}: {{op: {}, in: [{}, n{}_{}]}}\n", w, add, sum, w, length - 1);
    sum = fmt::format("s{}", w);
  }
  return nodes;
}

TEST_F(ParallelRunTest, NodesThatAreReadyRunAtTheSameTime) {
  Make("  r: {op: AddOne, in: x}\n  a: {op: Meet, in: r}\n  b: {op: Meet, in: r}\n  c: {op: Add, in: [a, b]}\n", "c",
       2);
  for (int run = 1; run <= 2; ++run) {
    expected_here = 2 * run;
    EXPECT_EQ(Output(), (Row{6, 8, 10}));
  }
}

// z is the last one that each of the 190 pairs waits for.
TEST_F(ParallelRunTest, HundredsOfNodesBecomeReadyAtOnce) {
  std::string nodes, outputs;
  for (int i = 0; i < 20; ++i) nodes += fmt::format("  a{}: {{op: AddOne, in: x}}\n", i);
  nodes += "  z: {op: AddOne, in: x, after: [a0, a19]}\n";
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < i; ++j) {
      nodes += fmt::format("  p{0}_{1}: {{op: Add, in: [a{0}, a{1}], after: z}}\n", i, j);
      outputs += fmt::format("p{}_{}, ", i, j);
    }
  }
  Make(nodes, outputs, 2);
  for (int run = 0; run < 5; ++run) {
    EXPECT_FALSE(lane_->Run().has_value());
    for (size_t output = 0; output < 190; ++output) {
      EXPECT_EQ(ValuesOf(lane_->Output(output)).at(2), 8) << output;
    }
  }
}

// 10,000 runs whose shapes change do not grow memory.
TEST_F(ParallelRunTest, MemoryDoesNotGrow) {
  Make(Comb(4, 3, "LateAddOne", "LateAdd"), "s3", 4);
  const auto run = [&](int i) { EXPECT_FALSE(Run(Row(static_cast<size_t>(i % 50 + 1), i)).has_value()); };
  for (int i = 0; i < 1000; ++i) run(i);
  const size_t bytes = lane_->MemoryBytes();
  for (int i = 0; i < 9000; ++i) run(i);
  // How many nodes are alive at once differs from run to run; what 16 nodes can hold is a limit.
  EXPECT_LE(lane_->MemoryBytes(), bytes + size_t{16 * 256});
}

TEST_F(ParallelRunTest, ManyThreadsRunOnePlanEachWithItsOwnFeeds) {
  Make(Comb(5, 4, "LateAddOne", "LateAdd"), "s4", 4);
  RunInManyThreads([](Lane& lane, int caller, int i) {
    const Row fed(static_cast<size_t>(caller + 1), caller * 100 + i);
    Feed(lane, fed);
    EXPECT_FALSE(lane.Run().has_value());
    EXPECT_EQ(ValuesOf(lane.Output(0)), Row(fed.size(), 5 * (fed[0] + 4)));
  });
}

// Whoever is first makes it.
TEST_F(ParallelRunTest, ManyThreadsShareOneObject) {
  using Shared = std::atomic<int>;
  static Shared made, counted_together;
  made = counted_together = 0;
  const auto make = [](void*, void** object) -> int32_t {
    ++made;
    *object = new Shared(0);
    return OPSRUN_OK;
  };
  const auto destroy = [](void* object) {
    counted_together += *static_cast<Shared*>(object);
    delete static_cast<Shared*>(object);
  };
  to_do = [=](opsrun_call* call) -> int32_t {
    const opsrun_resource* r = nullptr;
    const opsrun_host* host = call->host;
    if (int32_t code = host->resource(call, C(""), C("hits"), C("int"), make, nullptr, destroy, &r)) return code;
    ++*static_cast<Shared*>(r->obj);
    host->resource_release(r);
    return AddOne(nullptr, call);
  };
  Make(Comb(5, 4, "Do", "LateAdd"), "s4", 4);
  RunInManyThreads([](Lane& lane, int, int) {
    Feed(lane, {0});
    EXPECT_FALSE(lane.Run().has_value());
  });
  EXPECT_EQ(resources_.size(), 1u);
  EXPECT_EQ(made, 1);
  resources_.Clear();
  EXPECT_EQ(counted_together, 16 * 50 * 5 * 4);
}

// As Eigen's device does, each hands its work to the threads and blocks until it is done.
TEST_F(ParallelRunTest, KernelsThatBlockOnTheirOwnTasksEnd) {
  to_do = [](opsrun_call* call) {
    constexpr int kPieces = 4;
    std::atomic<int> done{0};
    const auto piece = [](void* count) {
      for (int i = 0; i < 100; ++i) std::this_thread::yield();
      ++*static_cast<std::atomic<int>*>(count);
      return OPSRUN_OK;
    };
    for (int i = 0; i < kPieces; ++i) {
      if (call->host->try_schedule(call, piece, &done) == 0) piece(&done);
    }
    while (done < kPieces) std::this_thread::yield();
    const int32_t code = AddOne(nullptr, call);
    return call->host->wait_scheduled(call) == OPSRUN_OK ? code : OPSRUN_UNKNOWN;
  };
  Make(Comb(16, 2, "Do", "Add"), "s15", 4);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Output(), (Row{32}));
}

TEST_F(ParallelRunTest, TheFirstFailureIsToldAndOthersAreCounted) {
  Make("  a: {op: FailLate, in: x}\n  b: {op: FailLate, in: x}\n  c: {op: Add, in: [a, b]}\n", "c", 2);
  expected_here = 2;
  const RunFailure failure = Failure();
  EXPECT_EQ(failure.status.message(), "no");
  EXPECT_EQ(failure.others, 1u);
  EXPECT_EQ(DescribeFailure(*plan_, failure).notes.back(), "1 other node failed at the same time");
}

// Whoever waits for others asks whether the run goes on; that it ends then is no failure of its own.
TEST_F(ParallelRunTest, AFailureStopsTheOthers) {
  Make("  a: {op: FailLate, in: x}\n  b: {op: UntilCancelled, in: x}\n  c: {op: Add, in: [a, b]}\n", "c", 2);
  expected_here = 2;
  const RunFailure failure = Failure();
  EXPECT_EQ(failure.status.code(), OPSRUN_ABORTED);
  EXPECT_EQ(failure.others, 0u);
}

TEST_F(ParallelRunTest, AfterAFailureNoNodeBeginsAndTheLaneRunsAgain) {
  std::string nodes = "  a: {op: FailLate, in: x}\n";
  for (int i = 0; i < 100; ++i) nodes += fmt::format("  n{}: {{op: CountCalls, in: a}}\n", i);
  Make(nodes, "n0", 4);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(lane_->Run()->status.code(), OPSRUN_ABORTED);
  EXPECT_EQ(counted, 0);
}

TEST_F(ParallelRunTest, StopEndsARunAndNamesANode) {
  for (int threads : {1, 3}) {
    here = 0;
    Make("  a: {op: UntilCancelled, in: x}\n  b: {op: CountCalls, in: x, after: a}\n  c: {op: AddOne, in: x}\n", "b",
         threads);
    std::thread other([this] {
      while (here == 0) std::this_thread::yield();
      stop_->Stop();
    });
    const RunFailure failure = Failure();
    other.join();
    EXPECT_EQ(failure.status.code(), OPSRUN_CANCELLED);
    EXPECT_EQ(counted, 0);
  }
}

TEST_F(ParallelRunTest, ADeadlineEndsARun) {
  using namespace std::chrono_literals;
  for (int threads : {1, 3}) {
    Make("  a: {op: UntilCancelled, in: x}\n  b: {op: CountCalls, in: a}\n", "b", threads);
    StopSignal other;
    const StopSignal soon(&other, std::chrono::steady_clock::now() + 1ms);
    lane_->SetStop(&soon);
    EXPECT_EQ(Failure().status.code(), OPSRUN_CANCELLED);
    EXPECT_TRUE(soon.timed_out());
    const StopSignal late(&other, std::chrono::steady_clock::now() + 1h);
    other.Stop();
    lane_->SetStop(&late);
    EXPECT_EQ(Failure().status.code(), OPSRUN_CANCELLED);
    EXPECT_FALSE(late.timed_out());
    lane_->SetStop(nullptr);
    EXPECT_EQ(counted, 0);
  }
}

// Also in the middle of what one thread runs at once.
TEST_F(ParallelRunTest, StopEndsAChain) {
  to_do = [this](opsrun_call* call) {
    stop_->Stop();
    return AddOne(nullptr, call);
  };
  for (int threads : {1, 2}) {
    here = 0;
    Make(
        "  a: {op: Do, in: x}\n  b: {op: CountCalls, in: a}\n  c: {op: Do, in: x}\n"
        "  e: {op: CountCalls, in: c}\n",
        "b, e", threads);
    const RunFailure failure = Failure();
    EXPECT_EQ(failure.status.code(), OPSRUN_CANCELLED);
    EXPECT_TRUE(threads > 1 || failure.step == 0) << "the node that ran last";
    EXPECT_EQ(counted, 0);
  }
}

TEST_F(ParallelRunTest, RunningNamesTheNodesThatRun) {
  for (int threads : {1, 3}) {
    here = 0;
    expected_here = 2;
    Make("  a: {op: AddOne, in: x}\n  b: {op: Meet, in: a}\n", "b", threads);
    std::thread other([this] {
      while (here == 0) std::this_thread::yield();
      const std::vector<RunningStep> running = lane_->Running();
      EXPECT_EQ(running.size(), 1u);
      EXPECT_EQ(running.at(0).step, 1u);
      EXPECT_FALSE(running.at(0).on_device);
      ++here;
    });
    EXPECT_FALSE(lane_->Run().has_value());
    other.join();
    EXPECT_TRUE(lane_->Running().empty());
  }
}

TEST_F(ParallelRunTest, TimesOfStepsFollowTheirOrder) {
  for (int threads : {1, 3}) {
    Make(Comb(3, 2, "AddOne", "Add"), "s2", threads);
    RunTimes of_run;
    EXPECT_FALSE(lane_->RunTimed(of_run).has_value());
    const std::vector<StepTime>& times = of_run.steps;
    ASSERT_EQ(times.size(), plan_->steps.size());
    for (uint32_t s = 0; s < times.size(); ++s) {
      EXPECT_GT(times[s].begin, 0);
      EXPECT_LE(times[s].begin, times[s].end);
      EXPECT_LT(times[s].thread, threads);
      for (uint32_t value : plan_->steps[s].inputs) {
        const uint32_t producer = plan_->values[value].producer;
        if (producer == PlanValue::kNone) continue;
        EXPECT_LE(times[producer].end, times[s].begin);
      }
    }
  }
}

}  // namespace
}  // namespace opsrun::host

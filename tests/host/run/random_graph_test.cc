// tests/host/run/random_graph_test.cc: runs of random graphs, compared with what their ops must compute; also when a
// kernel or an allocation fails.
// SPDX-License-Identifier: Apache-2.0
#include "tests/host/run/random_graph.h"

#include <random>

#include "tests/host/run/device_kernels.h"
#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

class RandomGraphTest : public ::testing::TestWithParam<unsigned>, protected reference::RandomRun {
 protected:
  RandomGraphTest() {
    cpu_ = device_.get();
    host_ = MakeHostTable(device_);
  }
  ~RandomGraphTest() override {
    End();
    EXPECT_EQ(device_->used(), 0u) << "bytes of the device that never came back";
  }

  // Plans so many graphs of this seed, each for one thread and for three, until something fails.
  void ForEachGraph(unsigned count, unsigned first, const std::function<void(int threads)>& look) {
    for (unsigned graph = 0; graph < count; ++graph) {
      for (const int threads : {1, 3}) {
        Plan(GetParam() * count + first + graph, threads);
        look(threads);
        if (HasFailure()) return;
      }
    }
  }

  std::shared_ptr<CountingDevice> device_ = std::make_shared<CountingDevice>();
};

// Runs of several threads are soon tried on one.
TEST_P(RandomGraphTest, EveryRunComputesWhatItMust) {
  ForEachGraph(20, 0, [&](int) {
    ASSERT_TRUE(MakeLane());
    for (int run = 0; run < 100; ++run) ExpectARightRun(run);
  });
}

// Whichever call fails: the run says so, and the next one is right.
TEST_P(RandomGraphTest, ARunAfterAFailureComputesWhatItMust) {
  ForEachGraph(10, 1000, [&](int threads) {
    ASSERT_TRUE(MakeLane());
    for (int call = 0; call < static_cast<int>(plan_->steps.size()) && !HasFailure(); ++call) {
      reference::fails_in = call;
      const std::optional<RunFailure> failure = RunWith(call);
      ASSERT_TRUE(failure.has_value()) << graph_->Yaml();
      EXPECT_EQ(failure->status.code(), OPSRUN_ABORTED);
      EXPECT_EQ(failure->status.subject(), "input:x");
      EXPECT_TRUE(threads > 1 || failure->step == static_cast<uint32_t>(call));
      reference::fails_in = -1;
      ExpectARightRun(call + 1);
    }
  });
}

TEST_P(RandomGraphTest, ARunThatKeepsGoingComputesWhatItMust) {
  ops_.keep_going = true;
  ForEachGraph(10, 3000, [&](int) {
    ASSERT_TRUE(MakeLane());
    ExpectToKeepGoing(plan_->steps.size());
  });
}

// Whichever allocation fails: the run says that there is no memory, nothing is lost, and the next one is right.
TEST_P(RandomGraphTest, ARunAfterALackOfMemoryComputesWhatItMust) {
  ForEachGraph(10, 2000, [&](int) {
    bool all_there = false;
    for (int allocation = 0; !all_there && !HasFailure(); ++allocation) {
      lane_.reset();
      device_->FailIn(allocation);
      std::optional<RunFailure> failure;
      const bool made = MakeLane();
      if (made) failure = RunWith(allocation);
      all_there = device_->FailIn(-1) > 0;
      EXPECT_TRUE(!failure || failure->status.code() == OPSRUN_RESOURCE_EXHAUSTED) << failure->status.message();
      if (!made) continue;
      if (!failure) ExpectRight();
      ExpectARightRun(allocation + 1);
    }
  });
}

// The same graphs, with some of their nodes on a device that does everything as late as it may, or at once, or in
// between: every run computes what the CPU does.
class RandomPlacementTest : public RandomGraphTest {
 protected:
  RandomPlacementTest() {
    const unsigned seed = GetParam();
    constexpr Schedule kSchedules[] = {Schedule::kEager, Schedule::kLazy, Schedule::kRandom};
    devices_ = std::make_unique<Devices>(OpenCpuDevice());
    AddFakeGpus(*devices_, gpus_, kSchedules[seed % 3], seed);
    ops_.devices = devices_.get();
    ops_.device = "gpu";
    std::mt19937 random(seed);
    reference::AddDeviceKernels(
        ops_, [&](const std::string& op) { return op == "Sum" || op == "Twice" || random() % 3 != 0; });
  }
  ~RandomPlacementTest() override { End(); }

  FakeDevices gpus_;
  std::unique_ptr<Devices> devices_;
};

TEST_P(RandomPlacementTest, EveryRunComputesWhatTheCpuDoes) {
  for (unsigned graph = 0; graph < 20; ++graph) {
    for (const int threads : {1, 3}) {
      Plan(GetParam() * 20 + graph, threads, /*fixed=*/graph % 2 == 1);
      ASSERT_TRUE(MakeLane());
      for (int run = 0; run < 20; ++run) ExpectARightRun(run);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(gpus_.at(0)->launches(), 0) << "of steps as a whole";
}

TEST_P(RandomPlacementTest, ARunAfterAFailureComputesWhatItMust) {
  for (unsigned graph = 0; graph < 5; ++graph) {
    Plan(GetParam() * 5 + graph + 1000, 1);
    ASSERT_TRUE(MakeLane(/*capture=*/false));
    for (int call = 0; call < static_cast<int>(plan_->steps.size() - plan_->copy_nodes.size()); ++call) {
      reference::fails_in = call;
      ASSERT_TRUE(RunWith(call).has_value()) << graph_->Yaml();
      reference::fails_in = -1;
      ExpectARightRun(call + 1);
      if (HasFailure()) return;
    }
  }
}

// What is skipped must not be what others would have waited for.
TEST_P(RandomPlacementTest, ARunThatKeepsGoingComputesWhatItMust) {
  ops_.keep_going = true;
  for (unsigned graph = 0; graph < 20; ++graph) {
    Plan(GetParam() * 20 + graph, 1 + 2 * static_cast<int>(graph % 2));
    ASSERT_TRUE(MakeLane());
    ExpectToKeepGoing(plan_->steps.size() - plan_->copy_nodes.size());
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphTest, ::testing::Range(0u, 6u));
INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlacementTest, ::testing::Range(0u, 9u));

}  // namespace
}  // namespace opsrun::host

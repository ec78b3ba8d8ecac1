// tests/host/run/random_graph_test.cc: runs of random graphs, compared with what their ops must compute; also when a
// kernel or an allocation fails.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "host/run/host_table.h"
#include "host/run/lane.h"
#include "tests/host/run/counting_device.h"
#include "tests/host/run/device_kernels.h"
#include "tests/host/run/reference_ops.h"

namespace opsrun::host {
namespace {

using reference::Row;
using reference::Rows;

// A graph over the constant x and the declared feeds d and e, and what it must compute.
class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) : random_(seed) {
    names_ = {"x", "d", "e"};
    texts_ = {false, false, false};
    const size_t nodes = 1 + Below(25);
    for (size_t node = 0; node < nodes; ++node) AddNode("n" + std::to_string(node));
    std::shuffle(lines_.begin(), lines_.end(), random_);
    do AddOutput(Below(names_.size()));
    while (Below(4) != 0);
    if (outputs_.empty()) AddOutput(0);
  }
  std::string Yaml() const {
    std::string text =
        "feeds:\n  x: {value: [3, 1, 4, 1, 5], dtype: int32}\n  d: {dtype: int32, shape: [-1]}\n  e: {dtype: int32}\n"
        "nodes:\n";
    for (const std::string& line : lines_) text += line;
    text += "outputs: [";
    for (const size_t output : outputs_) text += names_[output] + ", ";
    return text + "]\n";
  }
  Rows Expected(const Row& d, const Row& e) const {
    Rows values = {{3, 1, 4, 1, 5}, d, e};
    for (const Step& step : steps_) {
      Rows in;
      for (const size_t value : step.inputs) in.push_back(values[value]);
      for (Row& out : step.op->expected(in, step.outputs)) values.push_back(std::move(out));
    }
    Rows outputs;
    for (const size_t output : outputs_) outputs.push_back(values[output]);
    return outputs;
  }

 private:
  struct Step {
    const reference::Op* op;
    std::vector<size_t> inputs;
    size_t outputs;
  };

  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  // Mostly a late one, so that there are chains.
  size_t SomeValue(bool text) {
    const size_t reach = std::min(names_.size(), 3 + Below(8));
    for (int tries = 0; tries < 100; ++tries) {
      const size_t value = names_.size() - 1 - Below(tries < 50 ? reach : names_.size());
      if (texts_[value] == text) return value;
    }
    return names_.size();
  }
  void AddNode(const std::string& name) {
    const reference::Op& op = reference::Ops()[Below(reference::Ops().size())];
    const std::string& first = op.strings.inputs[0];
    const bool list_in = first.find('*') != std::string::npos, reads_texts = first.find("string") != std::string::npos;
    const bool list_out = op.strings.outputs[0].find('*') != std::string::npos;
    Step step{&op, {}, list_out ? 1 + Below(3) : op.strings.outputs.size()};
    const size_t inputs = list_in ? 1 + Below(3) : op.strings.inputs.size();
    std::string in;
    for (size_t i = 0; i < inputs; ++i) {
      step.inputs.push_back(SomeValue(reads_texts));
      if (step.inputs.back() == names_.size()) return;
      in += (i > 0 ? ", " : "") + names_[step.inputs.back()];
    }
    const std::string attrs = list_out ? ", attrs: {N: " + std::to_string(step.outputs) + "}" : "";
    const std::string after = !nodes_.empty() && Below(5) == 0 ? ", after: " + nodes_[Below(nodes_.size())] : "";
    lines_.push_back("  " + name + ": {op: " + op.strings.name + ", in: [" + in + "]" + attrs + after + "}\n");
    for (size_t i = 0; i < step.outputs; ++i) {
      const std::string& arg = op.strings.outputs[list_out ? 0 : i];
      names_.push_back(name + "." + arg.substr(0, arg.find(':')) + (list_out ? "." + std::to_string(i) : ""));
      texts_.push_back(arg.find("string") != std::string::npos);
    }
    nodes_.push_back(name);
    steps_.push_back(std::move(step));
  }
  void AddOutput(size_t value) {
    if (!texts_[value] && std::count(outputs_.begin(), outputs_.end(), value) == 0) outputs_.push_back(value);
  }

  std::mt19937 random_;
  std::vector<std::string> names_;  // by value: how the graph refers to it
  std::vector<bool> texts_;         // by value: of texts, which stand for their lengths
  std::vector<std::string> nodes_, lines_;
  std::vector<Step> steps_;
  std::vector<size_t> outputs_;
};

class RandomGraphTest : public ::testing::TestWithParam<unsigned> {
 protected:
  RandomGraphTest() {
    reference::AddTo(ops_);
    reference::fails_in = -1;
  }
  ~RandomGraphTest() override {
    lane_.reset();
    ops_.Forget();
    EXPECT_EQ(device_->used(), 0u) << "bytes of the device that never came back";
  }

  void Plan(unsigned seed, int threads) {
    lane_.reset();
    graph_.emplace(seed);
    plan_ = ops_.Make(graph_->Yaml(), host_.get(), {}, threads);
    ASSERT_NE(plan_, nullptr) << ops_.Found() << graph_->Yaml();
    pool_ = std::make_unique<ThreadPool>(threads);
  }
  // False if the device has not enough memory.
  bool MakeLane() {
    Result<std::unique_ptr<Lane>> lane = Lane::Create(*plan_, {device_.get(), host_.get(), pool_.get()});
    if (lane.ok()) lane_ = *std::move(lane);
    EXPECT_TRUE(lane.ok() || lane.status().code() == OPSRUN_RESOURCE_EXHAUSTED);
    return lane.ok();
  }
  void Feed(const std::string& name, const Row& row) {
    Result<Tensor> tensor = Tensor::Create(DType::kInt32, {static_cast<int64_t>(row.size())});
    if (!row.empty()) std::memcpy(tensor->mutable_data(), row.data(), row.size() * sizeof(int32_t));
    EXPECT_TRUE(lane_->SetFeed(name, *tensor).ok());
  }
  // Feeds rows that depend on the run.
  std::optional<RunFailure> Run(int run) {
    const auto length = static_cast<size_t>(run * 7 % 5);
    d_.assign(length, run);
    e_.assign((length + 3) % 5, 100 - run);
    if (length > 0) d_[0] = 2 * run;
    Feed("d", d_);
    Feed("e", e_);
    return lane_->Run();
  }
  void ExpectRight() {
    const Rows expected = graph_->Expected(d_, e_);
    for (size_t i = 0; i < expected.size(); ++i) {
      const Result<Tensor> tensor = lane_->Output(i);
      ASSERT_TRUE(tensor.ok());
      const auto* data = static_cast<const int32_t*>(tensor->data());
      EXPECT_EQ(Row(data, data + tensor->num_elements()), expected[i]) << "output " << i << "\n" << graph_->Yaml();
    }
  }
  void ExpectARightRun(int run) {
    const std::optional<RunFailure> failure = Run(run);
    ASSERT_FALSE(failure.has_value()) << failure->status.message() << "\n" << graph_->Yaml();
    ExpectRight();
  }

  std::shared_ptr<CountingDevice> device_ = std::make_shared<CountingDevice>();
  std::shared_ptr<const opsrun_host> host_ = MakeHostTable(device_);
  InProcessOps ops_;
  std::unique_ptr<ThreadPool> pool_;
  std::optional<RandomGraph> graph_;
  const host::Plan* plan_ = nullptr;
  std::unique_ptr<Lane> lane_;
  Row d_, e_;
};

TEST_P(RandomGraphTest, EveryRunComputesWhatItMust) {
  for (unsigned graph = 0; graph < 20; ++graph) {
    for (const int threads : {1, 3}) {
      Plan(GetParam() * 20 + graph, threads);
      ASSERT_TRUE(MakeLane());
      for (int run = 0; run < 40; ++run) ExpectARightRun(run);
      if (HasFailure()) return;
    }
  }
}

// Whichever call fails: the run says so, and the next one is right.
TEST_P(RandomGraphTest, ARunAfterAFailureComputesWhatItMust) {
  for (unsigned graph = 0; graph < 10; ++graph) {
    for (const int threads : {1, 3}) {
      Plan(GetParam() * 10 + graph + 1000, threads);
      ASSERT_TRUE(MakeLane());
      for (int call = 0; call < static_cast<int>(plan_->steps.size()); ++call) {
        reference::fails_in = call;
        const std::optional<RunFailure> failure = Run(call);
        ASSERT_TRUE(failure.has_value()) << graph_->Yaml();
        EXPECT_EQ(failure->status.code(), OPSRUN_ABORTED);
        EXPECT_EQ(failure->status.subject(), "input:x");
        if (threads == 1) {
          EXPECT_EQ(failure->step, static_cast<uint32_t>(call));
        }
        reference::fails_in = -1;
        ExpectARightRun(call + 1);
        if (HasFailure()) return;
      }
    }
  }
}

// Whichever allocation fails: the run says that there is no memory, nothing is lost, and the next one is right.
TEST_P(RandomGraphTest, ARunAfterALackOfMemoryComputesWhatItMust) {
  for (unsigned graph = 0; graph < 10; ++graph) {
    for (const int threads : {1, 3}) {
      Plan(GetParam() * 10 + graph + 2000, threads);
      for (int allocation = 0;; ++allocation) {
        lane_.reset();
        device_->FailIn(allocation);
        std::optional<RunFailure> failure;
        const bool made = MakeLane();
        if (made) failure = Run(allocation);
        const bool all_there = device_->FailIn(-1) > 0;
        EXPECT_TRUE(!failure || failure->status.code() == OPSRUN_RESOURCE_EXHAUSTED) << failure->status.message();
        if (!made) continue;
        if (!failure) ExpectRight();
        ExpectARightRun(allocation + 1);
        if (HasFailure()) return;
        if (all_there) break;
      }
    }
  }
}

// The same graphs, with some of their nodes on a device that does everything as late as it may, or at once, or in
// between: every run computes what the CPU does.
class RandomPlacementTest : public RandomGraphTest {
 protected:
  RandomPlacementTest() {
    const unsigned seed = GetParam();
    auto devices = std::make_unique<Devices>(OpenCpuDevice());
    devices->AddKind("gpu", [seed](int number) -> Result<std::unique_ptr<Device>> {
      constexpr Schedule kSchedules[] = {Schedule::kEager, Schedule::kLazy, Schedule::kRandom};
      return std::unique_ptr<Device>(std::make_unique<FakeDevice>(kSchedules[seed % 3], seed, number));
    });
    devices_ = std::move(devices);
    ops_.devices = devices_.get();
    ops_.device = "gpu";
    std::mt19937 random(seed);
    reference::AddDeviceKernels(ops_, [&](const std::string&) { return random() % 3 != 0; });
  }
  ~RandomPlacementTest() override {
    lane_.reset();
    ops_.Forget();
    host_.reset();
  }

  std::unique_ptr<Devices> devices_;
};

TEST_P(RandomPlacementTest, EveryRunComputesWhatTheCpuDoes) {
  for (unsigned graph = 0; graph < 20; ++graph) {
    for (const int threads : {1, 3}) {
      Plan(GetParam() * 20 + graph, threads);
      ASSERT_TRUE(MakeLane());
      for (int run = 0; run < 20; ++run) ExpectARightRun(run);
      if (HasFailure()) return;
    }
  }
}

TEST_P(RandomPlacementTest, ARunAfterAFailureComputesWhatItMust) {
  for (unsigned graph = 0; graph < 5; ++graph) {
    Plan(GetParam() * 5 + graph + 1000, 1);
    ASSERT_TRUE(MakeLane());
    for (int call = 0; call < static_cast<int>(plan_->steps.size() - plan_->copy_nodes.size()); ++call) {
      reference::fails_in = call;
      ASSERT_TRUE(Run(call).has_value()) << graph_->Yaml();
      reference::fails_in = -1;
      ExpectARightRun(call + 1);
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphTest, ::testing::Range(0u, 6u));
INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlacementTest, ::testing::Range(0u, 9u));

}  // namespace
}  // namespace opsrun::host

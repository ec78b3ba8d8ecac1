// tests/cuda/random_run_test.cc: random graphs with some nodes on the fake driver compute the same as on the CPU,
// without reports.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/device/cuda_device.h"
#include "host/run/host_table.h"
#include "host/run/lane.h"
#include "tests/cuda/launched_kernels.h"
#include "tests/host/run/random_graph.h"

namespace opsrun::host {
namespace {

using reference::RandomGraph;
using reference::Row;
using reference::Rows;

struct Settings {
  unsigned seed;
  const char *schedule, *pools;
};
void PrintTo(const Settings& settings, std::ostream* out) {
  *out << settings.schedule << ", pools " << settings.pools << ", seed " << settings.seed;
}

class RandomRunTest : public ::testing::TestWithParam<Settings> {
 protected:
  RandomRunTest() : report_(std::filesystem::temp_directory_path() / ("opsrun_random_" + std::to_string(getpid()))) {
    setenv("OPSRUN_DOUBLE_SCHEDULE", GetParam().schedule, 1);
    setenv("OPSRUN_DOUBLE_POOLS", GetParam().pools, 1);
    setenv("OPSRUN_DOUBLE_REPORT", report_.c_str(), 1);
    setenv("OPSRUN_DOUBLE_DEVICES", "2", 1);
    devices_ = std::make_unique<Devices>(OpenCpuDevice());
    devices_->AddKind("gpu", [](int number) { return OpenCudaDevice(number); });
    host_ = MakeHostTable({std::shared_ptr<void>(), &devices_->cpu()});
    ops_.devices = devices_.get();
    ops_.device = "gpu";
    ops_.SetEmulated();
    reference::AddTo(ops_);
    std::mt19937 random(GetParam().seed);
    reference::AddLaunchedKernels(
        ops_, [&](const std::string& op) { return op == "Sum" || op == "Twice" || random() % 4 != 0; });
  }
  ~RandomRunTest() override {
    lane_.reset();
    ops_.Forget();
    host_.reset();
    devices_.reset();
    std::ifstream file(report_);
    std::stringstream reported;
    reported << file.rdbuf();
    EXPECT_EQ(reported.str(), "");
    std::filesystem::remove(report_);
  }

  void Make(unsigned seed, int threads, bool fixed) {
    lane_.reset();
    graph_.emplace(seed, fixed);
    plan_ = ops_.Make(graph_->Yaml(), host_.get(), {}, threads);
    ASSERT_NE(plan_, nullptr) << ops_.Found() << graph_->Yaml();
    pool_ = std::make_unique<ThreadPool>(threads);
    Result<std::unique_ptr<Lane>> lane = Lane::Create(*plan_, {&devices_->cpu(), host_.get(), pool_.get()});
    ASSERT_TRUE(lane.ok()) << lane.status().message();
    lane_ = *std::move(lane);
  }
  void Feed(const std::string& name, const Row& row) {
    Result<Tensor> tensor = Tensor::Create(DType::kInt32, {static_cast<int64_t>(row.size())});
    if (!row.empty()) std::memcpy(tensor->mutable_data(), row.data(), row.size() * sizeof(int32_t));
    ASSERT_TRUE(lane_->SetFeed(name, *tensor).ok());
  }
  void ExpectARightRun(int run) {
    const auto length = graph_->fixed() ? 4 : static_cast<size_t>(run * 7 % 5);
    const Row d(length, run), e((length + 3) % 5, 100 - run);
    Feed("d", d);
    Feed("e", e);
    const std::optional<RunFailure> failure = lane_->Run();
    ASSERT_FALSE(failure.has_value()) << failure->status.message() << "\n" << graph_->Yaml();
    const Rows expected = graph_->Expected(d, e);
    for (size_t i = 0; i < expected.size(); ++i) {
      const Result<Tensor> tensor = lane_->Output(i);
      const auto* data = static_cast<const int32_t*>(tensor->data());
      EXPECT_EQ(Row(data, data + tensor->num_elements()), expected[i]) << "output " << i << "\n" << graph_->Yaml();
    }
  }

  const std::filesystem::path report_;
  std::unique_ptr<Devices> devices_;
  std::shared_ptr<const opsrun_host> host_;
  InProcessOps ops_;
  std::unique_ptr<ThreadPool> pool_;
  std::optional<RandomGraph> graph_;
  const Plan* plan_ = nullptr;
  std::unique_ptr<Lane> lane_;
};

TEST_P(RandomRunTest, ComputesWhatTheCpuDoes) {
  for (unsigned graph = 0; graph < 12; ++graph) {
    for (const int threads : {1, 3}) {
      Make(GetParam().seed * 100 + graph, threads, /*fixed=*/graph % 2 == 1);
      for (int run = 0; run < 6; ++run) ExpectARightRun(run);
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, RandomRunTest,
                         ::testing::Values(Settings{1, "eager", "1"}, Settings{2, "lazy", "1"},
                                           Settings{3, "eager", "0"}, Settings{4, "lazy", "0"},
                                           Settings{5, "lazy", "1"}, Settings{6, "lazy", "1"}),
                         [](const auto& settings) {
                           return std::string(settings.param.schedule) +
                                  (settings.param.pools[0] == '0' ? "WithoutPools" : "") +
                                  std::to_string(settings.param.seed);
                         });

}  // namespace
}  // namespace opsrun::host

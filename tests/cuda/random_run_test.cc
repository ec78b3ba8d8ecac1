// tests/cuda/random_run_test.cc: random graphs with some nodes on the fake driver compute the same as on the CPU,
// without reports.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/device/cuda_device.h"
#include "host/run/host_table.h"
#include "tests/cuda/fake_driver.h"
#include "tests/cuda/launched_kernels.h"
#include "tests/host/run/random_graph.h"

namespace opsrun::host {
namespace {

struct Settings {
  unsigned seed;
  const char *schedule, *pools;
};
void PrintTo(const Settings& settings, std::ostream* out) {
  *out << settings.schedule << ", pools " << settings.pools << ", seed " << settings.seed;
}

class RandomRunTest : public ::testing::TestWithParam<Settings>, protected reference::RandomRun {
 protected:
  RandomRunTest() {
    setenv("OPSRUN_DOUBLE_SCHEDULE", GetParam().schedule, 1);
    setenv("OPSRUN_DOUBLE_POOLS", GetParam().pools, 1);
    setenv("OPSRUN_DOUBLE_DEVICES", "2", 1);
    devices_ = std::make_unique<Devices>(OpenCpuDevice());
    devices_->AddKind("gpu", [](int number) { return OpenCudaDevice(number); });
    cpu_ = &devices_->cpu();
    host_ = MakeHostTable({std::shared_ptr<void>(), cpu_});
    ops_.devices = devices_.get();
    ops_.device = "gpu";
    std::mt19937 random(GetParam().seed);
    reference::AddLaunchedKernels(
        ops_, [&](const std::string& op) { return op == "Sum" || op == "Twice" || random() % 4 != 0; });
  }
  ~RandomRunTest() override {
    End();
    devices_.reset();
  }

  const NoDriverReports reports_;
  std::unique_ptr<Devices> devices_;
};

TEST_P(RandomRunTest, ComputesWhatTheCpuDoes) {
  for (unsigned graph = 0; graph < 12; ++graph) {
    for (const int threads : {1, 3}) {
      Plan(GetParam().seed * 100 + graph, threads, /*fixed=*/graph % 2 == 1);
      ASSERT_TRUE(MakeLane());
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

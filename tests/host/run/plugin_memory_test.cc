// tests/host/run/plugin_memory_test.cc: opsrun.memory/1.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>

#include "host/device/device.h"
#include "host/run/host_table.h"

namespace opsrun::host {
namespace {

TEST(PluginMemory, CountsForTheLimitOfTheHost) {
  const std::shared_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
  const std::shared_ptr<const opsrun_host> host = MakeHostTable(device);
  const auto* const memory = static_cast<const opsrun_memory*>(host->query(host.get(), {OPSRUN_MEMORY_1, 15}));
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->reserve(host.get(), 900), OPSRUN_OK);
  EXPECT_EQ(memory->reserve(host.get(), 101), OPSRUN_RESOURCE_EXHAUSTED);
  EXPECT_EQ(device->Allocate(101, kNoStream), nullptr);
  memory->give_back(host.get(), 900);
  EXPECT_EQ(memory->reserve(host.get(), 1000), OPSRUN_OK);
  memory->give_back(host.get(), 1000);
}

}  // namespace
}  // namespace opsrun::host

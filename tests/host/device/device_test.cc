// SPDX-License-Identifier: Apache-2.0
#include "host/device/device.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(LimitedDevice, GivesOutNoMoreThanItsLimitAtATime) {
  const std::unique_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
  void* first = device->Allocate(600, kNoStream);
  ASSERT_NE(first, nullptr);
  for (const size_t more : {size_t{401}, SIZE_MAX, SIZE_MAX - 599})  // the sum does not overflow
    EXPECT_EQ(device->Allocate(more, kNoStream), nullptr) << more;
  void* const second = device->Allocate(400, kNoStream);
  EXPECT_NE(second, nullptr);
  device->Free(first, kNoStream);
  first = device->Allocate(600, kNoStream);
  EXPECT_NE(first, nullptr);
  for (void* const block : {first, second, static_cast<void*>(nullptr)}) device->Free(block, kNoStream);
}

// A device with a limit or with idle blocks is the CPU in all else.
TEST(LimitedDevice, IsTheDeviceOtherwise) {
  for (const bool keeps_blocks : {false, true}) {
    std::unique_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
    if (keeps_blocks) device = KeepBlocks(std::move(device), true, {});
    EXPECT_EQ(device->name(), "cpu");
    EXPECT_EQ(device->kind(), "CPU");
    EXPECT_EQ(device->id().type, OPSRUN_DEVICE_CPU);
    int from = 7, to = 0;
    EXPECT_TRUE(device->Copy(Device::Direction::kIn, &to, &from, sizeof(int), kNoStream).ok());
    EXPECT_EQ(to, 7);
  }
}

}  // namespace
}  // namespace opsrun::host

// SPDX-License-Identifier: Apache-2.0
#include "host/device/device.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(LimitedDevice, GivesOutNoMoreThanItsLimitAtATime) {
  const std::unique_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
  void* first = device->Allocate(600, kNoStream);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(device->Allocate(401, kNoStream), nullptr);
  void* second = device->Allocate(400, kNoStream);
  EXPECT_NE(second, nullptr);
  device->Free(first, kNoStream);
  first = device->Allocate(600, kNoStream);
  EXPECT_NE(first, nullptr);
  device->Free(first, kNoStream);
  device->Free(second, kNoStream);
  device->Free(nullptr, kNoStream);
}

TEST(LimitedDevice, TheSumDoesNotOverflow) {
  const std::unique_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
  void* some = device->Allocate(10, kNoStream);
  EXPECT_EQ(device->Allocate(SIZE_MAX, kNoStream), nullptr);
  EXPECT_EQ(device->Allocate(SIZE_MAX - 9, kNoStream), nullptr);
  device->Free(some, kNoStream);
}

TEST(LimitedDevice, IsTheDeviceOtherwise) {
  const std::unique_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
  EXPECT_EQ(device->name(), "cpu");
  EXPECT_EQ(device->kind(), "CPU");
  int from = 7, to = 0;
  EXPECT_TRUE(device->Copy(Device::Direction::kIn, &to, &from, sizeof(int), kNoStream).ok());
  EXPECT_EQ(to, 7);
}

}  // namespace
}  // namespace opsrun::host

// tests/host/device/limited_device_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/device/device.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(LimitedDevice, GivesOutNoMoreThanItsLimitAtATime) {
  const std::unique_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
  void* first = device->Allocate(600);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(device->Allocate(401), nullptr);
  void* second = device->Allocate(400);
  EXPECT_NE(second, nullptr);
  device->Free(first);
  first = device->Allocate(600);
  EXPECT_NE(first, nullptr);
  device->Free(first);
  device->Free(second);
  device->Free(nullptr);
}

TEST(LimitedDevice, TheSumDoesNotOverflow) {
  const std::unique_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
  void* some = device->Allocate(10);
  EXPECT_EQ(device->Allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(device->Allocate(SIZE_MAX - 9), nullptr);
  device->Free(some);
}

TEST(LimitedDevice, IsTheDeviceOtherwise) {
  const std::unique_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
  EXPECT_EQ(device->name(), "cpu");
  EXPECT_EQ(device->kind(), "CPU");
  int from = 7, to = 0;
  EXPECT_TRUE(device->CopyIn(&to, &from, sizeof(int)).ok());
  EXPECT_EQ(to, 7);
}

}  // namespace
}  // namespace opsrun::host

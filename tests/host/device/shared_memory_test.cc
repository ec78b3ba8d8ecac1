// Memory at one address in two processes, and its blocks.
// SPDX-License-Identifier: Apache-2.0
#include "host/device/shared_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <vector>

#include "host/device/device.h"

namespace opsrun::host {
namespace {

constexpr size_t kBytes = size_t{1} << 30;

TEST(SharedMemory, HasItsAddressInAnotherProcess) {
  const std::shared_ptr<SharedRegion> region = *SharedRegion::Create("test", kBytes);
  const auto address = reinterpret_cast<uintptr_t>(region->data());
  EXPECT_FALSE(SharedRegion::Attach(region->descriptor(), address, kBytes).ok()) << "it is in use here";
  const int file = dup(region->descriptor());
  const pid_t child = fork();
  if (child == 0) {
    munmap(region->data(), kBytes);
    const auto again = SharedRegion::Attach(file, address, kBytes);
    if (again.ok()) (*again)->data()[5] = 7;
    _exit(again.ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(region->data()[5], 7);
  close(file);
}

// A process may have one for each plugin.
// ThreadSanitizer leaves few addresses.
#if defined(__SANITIZE_THREAD__)
constexpr int kRegions = 3;
#else
constexpr int kRegions = 100;
#endif

TEST(SharedMemory, ThereAreAddressesForManyRegions) {
  std::vector<std::shared_ptr<SharedRegion>> regions;
  for (int i = 0; i < kRegions; ++i) {
    const Result<std::shared_ptr<SharedRegion>> region = SharedRegion::Create("test", SharedRegionBytes());
    ASSERT_TRUE(region.ok()) << i << ": " << region.status().message();
    regions.push_back(*region);
  }
}

TEST(SharedMemory, KnowsItsBounds) {
  const std::shared_ptr<SharedRegion> region = *SharedRegion::Create("test", kBytes);
  EXPECT_TRUE(region->Holds(region->data(), kBytes));
  EXPECT_TRUE(region->Holds(region->data() + kBytes, 0));
  EXPECT_FALSE(region->Holds(region->data() + 1, kBytes));
  EXPECT_FALSE(region->Holds(region->data() - 1, 1));
  EXPECT_FALSE(region->Holds(region->data() + 8, SIZE_MAX));
  EXPECT_FALSE(region->Holds(nullptr, 1));
}

TEST(SharedMemory, BlocksDoNotOverlapAndAllComeBack) {
  SharedHeap heap(*SharedRegion::Create("test", kBytes));
  std::mt19937 random(3);
  std::vector<std::pair<char*, size_t>> blocks;
  for (int i = 0; i < 3000; ++i) {
    if (blocks.size() < 40 || random() % 2 == 0) {
      const size_t bytes = random() % (i % 50 == 0 ? 4'000'000 : 900);
      auto* const block = static_cast<char*>(heap.Take(bytes));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
      std::memset(block, static_cast<int>(blocks.size()), bytes);
      blocks.emplace_back(block, bytes);
      for (size_t k = 0; k < bytes; k += 97) block[k] = static_cast<char>(bytes);
    } else {
      const size_t k = random() % blocks.size();
      for (size_t at = 0; at < blocks[k].second; at += 97)
        ASSERT_EQ(blocks[k].first[at], static_cast<char>(blocks[k].second));
      heap.Give(blocks[k].first);
      blocks[k] = blocks.back();
      blocks.pop_back();
    }
  }
  for (const auto& [block, bytes] : blocks) heap.Give(block);
  void* const all = heap.Take(kBytes - 64);  // one free block again
  EXPECT_NE(all, nullptr);
  heap.Give(all);
}

TEST(SharedMemory, ADeviceCanMoveThere) {
  const std::unique_ptr<Device> cpu = OpenCpuDevice();
  const std::shared_ptr<SharedRegion> region = *SharedRegion::Create("test", kBytes);
  void* const before = cpu->Allocate(100, kNoStream);
  ASSERT_TRUE(cpu->AllocateIn(region));
  void* const after = cpu->Allocate(100, kNoStream);
  void* const hidden = cpu->AllocatePrivate(100);
  EXPECT_FALSE(region->Holds(before, 1));
  EXPECT_TRUE(region->Holds(after, 100));
  EXPECT_FALSE(region->Holds(hidden, 1));
  cpu->Free(before, kNoStream);
  cpu->Free(after, kNoStream);
  cpu->FreePrivate(hidden);
}

}  // namespace
}  // namespace opsrun::host

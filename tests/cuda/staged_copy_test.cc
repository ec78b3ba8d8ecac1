// tests/cuda/staged_copy_test.cc: copies of ordinary memory in pieces, by several threads, on the fake driver.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/staged_copy.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "host/device/cuda_device.h"
#include "tests/cuda/fake_driver.h"

namespace opsrun::host {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// By number of threads and schedule of the driver.
class StagedCopyTest : public ::testing::TestWithParam<std::tuple<int, std::string>> {
 protected:
  void Open(const char* fails = "") {
    setenv("OPSRUN_DOUBLE_SCHEDULE", std::get<1>(GetParam()).c_str(), 1);
    setenv("OPSRUN_DOUBLE_FAIL", fails, 1);
    Result<std::unique_ptr<Device>> opened = OpenCudaDevice(0);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    card_ = *std::move(opened);
    stream_ = *card_->TakeStream();
  }
  ~StagedCopyTest() override {
    if (card_ != nullptr) card_->GiveStream(stream_);
  }
  Status Copy(Device::Direction direction, void* to, const void* from, size_t bytes) {
    return CopyStaged(&pool_, *card_, direction, to, from, bytes, stream_);
  }

  const NoDriverReports reports_;
  ThreadPool pool_{std::get<0>(GetParam())};
  std::unique_ptr<Device> card_;
  Stream stream_ = kNoStream;
};

TEST_P(StagedCopyTest, MovesEveryByteOnce) {
  Open();
  for (const size_t bytes : {kMiB - 1, kMiB, kMiB + 1, 5 * kMiB + 3, 70 * kMiB}) {
    std::vector<uint32_t> numbers(bytes / 4 + 1), back(bytes / 4 + 1);
    std::iota(numbers.begin(), numbers.end(), 1);
    void* const on_card = card_->Allocate(bytes, stream_);
    ASSERT_TRUE(Copy(Device::Direction::kIn, on_card, numbers.data(), bytes).ok());
    const std::vector<uint32_t> expected = numbers;
    std::fill(numbers.begin(), numbers.end(), 0);  // the caller's again
    ASSERT_TRUE(Copy(Device::Direction::kOut, back.data(), on_card, bytes).ok());
    ASSERT_TRUE(card_->Drain(stream_).ok());
    EXPECT_EQ(std::memcmp(back.data(), expected.data(), bytes), 0) << bytes;
    card_->Free(on_card, stream_);
  }
}

TEST_P(StagedCopyTest, WithoutPageLockedMemoryIsLeftToTheDriver) {
  Open("cuMemAllocHost:1");
  std::vector<char> numbers(3 * kMiB, 7), back(3 * kMiB);
  void* const on_card = card_->Allocate(numbers.size(), stream_);
  ASSERT_TRUE(Copy(Device::Direction::kIn, on_card, numbers.data(), numbers.size()).ok());
  ASSERT_TRUE(Copy(Device::Direction::kOut, back.data(), on_card, back.size()).ok());
  ASSERT_TRUE(card_->Drain(stream_).ok());
  EXPECT_EQ(back, numbers);
  card_->Free(on_card, stream_);
}

TEST_P(StagedCopyTest, EndsAtTheFirstError) {
  Open("cuMemcpyHtoDAsync:3:1");
  std::vector<char> numbers(8 * kMiB);
  void* const on_card = card_->Allocate(numbers.size(), stream_);
  const Status copied = Copy(Device::Direction::kIn, on_card, numbers.data(), numbers.size());
  EXPECT_EQ(copied.code(), OPSRUN_INTERNAL) << copied.message();
  card_->Free(on_card, stream_);
}

INSTANTIATE_TEST_SUITE_P(, StagedCopyTest,
                         ::testing::Combine(::testing::Values(1, 3, 12),
                                            ::testing::Values(std::string("eager"), std::string("lazy"))));

}  // namespace
}  // namespace opsrun::host

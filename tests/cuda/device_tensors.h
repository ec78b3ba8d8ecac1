// tests/cuda/device_tensors.h: for tests with feeds and results in the memory of a card, on the fake driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/device/cuda_device.h"
#include "opsrun/embed.hpp"
#include "tests/cuda/fake_driver.h"

namespace opsrun::host {

using embed::Gpu;

// By the schedule of the driver.
class DeviceTensors : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    setenv("OPSRUN_DOUBLE_SCHEDULE", GetParam(), 1);
    setenv("OPSRUN_DOUBLE_DEVICES", "2", 1);
    Result<std::unique_ptr<Device>> opened = OpenCudaDevice(0);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    card_ = *std::move(opened);
    stream_ = *card_->TakeStream();
    Open();
  }
  void Open(uint64_t memory_limit = 0) {
    embed::EngineOptions options;
    options.plugins = {OPSRUN_EMULATED_PLUGINS};
    options.default_plugins = false;
    options.device = "gpu";
    options.threads = 1;  // the fake driver forks, which requires a single thread
    options.gpu_memory_limit = memory_limit;
    engine_.emplace(options);
  }
  void TearDown() override {
    engine_.reset();
    for (void* const memory : made_) card_->Free(memory, stream_);
    if (card_ == nullptr) return;
    EXPECT_EQ(card_->Drain(stream_).ok(), !has_failed_);
    card_->GiveStream(stream_);
  }

  // Numbers from `first` on, which the stream writes.
  void* OnCard(size_t count, float first) {
    void* const memory = card_->Allocate(count * sizeof(float), stream_);
    std::vector<float> numbers(count);
    std::iota(numbers.begin(), numbers.end(), first);
    EXPECT_TRUE(card_->Copy(Device::Direction::kIn, memory, numbers.data(), count * sizeof(float), stream_).ok());
    made_.push_back(memory);
    return memory;
  }
  std::vector<float> FromCard(const void* memory, size_t count) {
    std::vector<float> numbers(count);
    EXPECT_TRUE(card_->Copy(Device::Direction::kOut, numbers.data(), memory, count * sizeof(float), stream_).ok());
    EXPECT_TRUE(card_->Drain(stream_).ok());
    return numbers;
  }
  embed::View Feed(void* memory, std::vector<int64_t> shape, bool ordered = true) {
    return embed::View(memory, OPSRUN_DT_FLOAT, std::move(shape)).At(Gpu(0, ordered ? stream_ : nullptr));
  }
  static embed::RunOptions At(std::vector<embed::Place> results) {
    embed::RunOptions options;
    options.results = std::move(results);
    return options;
  }
  static embed::RunOptions Options(Stream stream, size_t results) {
    embed::RunOptions options = At(std::vector<embed::Place>(results, Gpu()));
    options.stream = stream;
    return options;
  }
  // The error of a call; empty if there is none.
  template <typename Call>
  static std::string ErrorOf(const Call& call) {
    try {
      call();
    } catch (const embed::Error& error) {
      return error.report().empty() ? std::to_string(error.code()) : std::string(error.report().text(1));
    }
    return "";
  }

  const DriverReports reports_;
  std::unique_ptr<Device> card_;
  Stream stream_ = kNoStream;
  std::optional<embed::Engine> engine_;
  std::vector<void*> made_;
  bool has_failed_ = false;  // a card does nothing after an error
};

class OrderedDeviceTensors : public DeviceTensors {
 protected:
  ~OrderedDeviceTensors() override { EXPECT_EQ(reports_.Text(), ""); }
};

inline const auto kSchedules = ::testing::Values("eager", "lazy");
inline std::string NameOfSchedule(const ::testing::TestParamInfo<const char*>& it) {
  return it.param;
}

}  // namespace opsrun::host

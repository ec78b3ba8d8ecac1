// tests/cuda/blocks_test.cc: device memory and page-locked memory that is reused from one run to the next.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "host/device/cuda_device.h"
#include "host/engine/op_cache.h"
#include "tests/cuda/fake_driver.h"
#include "tests/cuda/launched_kernels.h"

namespace opsrun::host {
namespace {

constexpr size_t kBlock = 100'000;
constexpr char kChain[] =
    "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  a: {op: Twice, in: x}\n  b: {op: Twice, in: a}\n"
    "  c: {op: Twice, in: b}\noutputs: [c]\n";

class CudaBlocksTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Device>> opened = OpenCudaDevice(0);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    card_ = *std::move(opened);
    memory_ = GetParam() ? &card_->staging() : card_.get();
    stream_ = *card_->TakeStream();
  }
  ~CudaBlocksTest() override {
    if (card_ != nullptr) card_->GiveStream(stream_);
  }
  void* Take(size_t bytes, const void* wish = nullptr) {
    return memory_->TakeBlock(bytes, 16 * bytes, wish, GetParam() ? kNoStream : stream_);
  }

  const NoDriverReports reports_;
  std::unique_ptr<Device> card_;
  Device* memory_ = nullptr;
  Stream stream_ = kNoStream;
};

TEST_P(CudaBlocksTest, AreTakenAgain) {
  void* const first = Take(kBlock);
  ASSERT_NE(first, nullptr);
  memory_->GiveBlock(first);
  EXPECT_EQ(Take(kBlock - 4), first);
  void* const second = Take(kBlock);
  memory_->GiveBlock(first);
  memory_->GiveBlock(second);
  EXPECT_EQ(Take(kBlock, second), second);
  memory_->GiveBlock(second);
}

TEST_P(CudaBlocksTest, AreUsedByAnyStream) {
  int32_t numbers[] = {1, 2, 3}, back[] = {0, 0, 0};
  const Stream other = *card_->TakeStream();
  void* const block = Take(kBlock);
  const auto in = GetParam() ? Device::Direction::kWithin : Device::Direction::kIn;
  const auto out = GetParam() ? Device::Direction::kWithin : Device::Direction::kOut;
  ASSERT_TRUE(memory_->Copy(in, block, numbers, sizeof(numbers), other).ok());
  ASSERT_TRUE(memory_->Copy(out, back, block, sizeof(back), other).ok());
  ASSERT_TRUE(card_->Drain(other).ok());
  EXPECT_EQ(back[2], 3);
  memory_->GiveBlock(block);
  card_->GiveStream(other);
}

TEST_P(CudaBlocksTest, AreFreedByTrim) {
  memory_->GiveBlock(Take(kBlock));
  EXPECT_TRUE(card_->Trim());
  EXPECT_FALSE(card_->Trim());
  memory_->GiveBlock(Take(kBlock));
}

// Captures its steps twice, from the second run on; another shape in between may take over the memory.
TEST(CudaCalls, OfManyShapesShareTheMemoryOfTheCard) {
  setenv("OPSRUN_DOUBLE_SCHEDULE", "lazy", 1);
  setenv("OPSRUN_DOUBLE_MEMORY", "700000", 1);  // one call takes 3 or 4 times 120,000 bytes
  const NoDriverReports reports;
  InProcessOps ops;
  reference::AddTo(ops);
  reference::AddLaunchedKernels(ops, [](const std::string&) { return true; });
  EngineOptions options;
  options.default_plugins = false;
  options.device = "gpu";
  options.threads = 1;  // the fake driver forks, which requires a single thread
  Diagnostics diagnostics;
  const std::shared_ptr<Engine> engine = Engine::Create(std::move(options), diagnostics);
  engine->AddBuiltIn(ops.plugin());
  const auto loaded = engine->LoadText(std::make_shared<const SourceFile>(SourceFile{"test.yaml", kChain}));
  ASSERT_FALSE(loaded->diagnostics().has_errors());
  CallableGraph graph(loaded, 64);
  for (int64_t k = 0; k < 24; ++k) {
    const int64_t n = 30'000 + k * 7 % 8;
    std::vector<int32_t> x(static_cast<size_t>(n), 3);
    const TensorRef ref{x.data(), DType::kInt32, 1, &n};
    for (int run = 0; run < 3; ++run) {
      CallOutput output;
      ASSERT_FALSE(graph.PlanFor({&ref, 1}, diagnostics)->Run({&ref, 1}, {&output, 1}, {}).has_value());
      const auto* const data = static_cast<const int32_t*>(output.data);
      EXPECT_EQ(std::count(data, data + n, 31), n);
    }
    if (k == 12) engine->TrimMemory();
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, CudaBlocksTest, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "pageLocked" : "card"; });

}  // namespace
}  // namespace opsrun::host

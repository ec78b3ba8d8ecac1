// tests/host/run/late_outputs_test.cc: outputs whose shape only the run knows: their views, and the blocks they lie in.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "host/run/host_table.h"
#include "host/run/lane.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/counting_device.h"
#include "tests/host/run/int_kernels.h"
#include "tests/host/run/one_host.h"

namespace opsrun::host {
namespace {

using Numbers = std::vector<int32_t>;

// A tensor of the shape that the input spells; its elements are 0, 1, 2, ...
int32_t Spell(void*, opsrun_call* call) {
  Shape shape(Ints(call->in[0]), Ints(call->in[0]) + Count(call->in[0]));
  shape.reserve(1);  // so that there is an array, also for no sizes
  opsrun_tensor* out = nullptr;
  const auto rank = static_cast<int32_t>(shape.size());
  if (int32_t code = call->host->allocate_output(call, 0, rank, shape.data(), &out)) return code;
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  for (int64_t i = 0; i < count; ++i) Ints(out)[i] = static_cast<int32_t>(i);
  return OPSRUN_OK;
}
// The same through a temporary, which becomes the output.
int32_t SpellThroughTemp(void*, opsrun_call* call) {
  const Shape shape(Ints(call->in[0]), Ints(call->in[0]) + Count(call->in[0]));
  const opsrun_tensor* temp = nullptr;
  const auto rank = static_cast<int32_t>(shape.size());
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, rank, shape.data(), 0, &temp)) return code;
  const int32_t code = call->host->set_output(call, 0, temp);
  call->host->release(temp);
  return code;
}
// What its input's view says: rank, sizes, strides; -1 in front if an array is there or missing that must not be.
int32_t Describe(void*, opsrun_call* call) {
  const opsrun_tensor& in = *call->in[0];
  Numbers said;
  if ((in.shape == nullptr) != (in.rank == 0) || (in.strides == nullptr) != (in.rank == 0)) said.push_back(-1);
  said.push_back(in.rank);
  for (int32_t i = 0; i < in.rank; ++i) said.push_back(static_cast<int32_t>(in.shape[i]));
  for (int32_t i = 0; i < in.rank; ++i) said.push_back(static_cast<int32_t>(in.strides[i]));
  const auto n = static_cast<int64_t>(said.size());
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  std::copy(said.begin(), said.end(), Ints(out));
  return OPSRUN_OK;
}

// As many elements as the input says, every byte of them 1.
int32_t FillAll(void*, opsrun_call* call) {
  const int64_t n = Ints(call->in[0])[0];
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  std::memset(out->data, 1, static_cast<size_t>(n) * out->dl.bits / 8);
  return OPSRUN_OK;
}
// Makes its output in the first run alone.
int only_once = 0;
int32_t OnlyOnce(void*, opsrun_call* call) {
  return only_once++ == 0 ? Spell(nullptr, call) : OPSRUN_OK;
}

int32_t TooLargeOnce(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = int64_t{1} << 46;
  return only_once++ == 0 ? call->host->allocate_output(call, 0, 1, &n, &out) : OPSRUN_OK;
}

class LateOutputsTest : public ::testing::Test {
 protected:
  LateOutputsTest() {
    const std::vector<std::string> x = {"x: int32"}, y = {"y: int32"};
    ops_->Add({.name = "Spell", .inputs = x, .outputs = y}, nullptr, Spell);
    ops_->Add({.name = "Temp", .inputs = x, .outputs = y}, nullptr, SpellThroughTemp);
    ops_->Add({.name = "Describe", .inputs = x, .outputs = y}, nullptr, Describe);
    ops_->Add({.name = "OnlyOnce", .inputs = x, .outputs = y}, nullptr, OnlyOnce);
    ops_->Add({.name = "Large", .inputs = x, .outputs = y}, nullptr, TooLargeOnce);
  }

  void Make(const std::string& nodes, const std::string& output) {
    lane_.reset();
    plan_ = ops_->Make("feeds: {d: {dtype: int32, shape: [-1]}}\nnodes:\n" + nodes + "outputs: [" + output + "]\n",
                       host_.get());
    ASSERT_NE(plan_, nullptr) << ops_->Found();
    lane_ = *Lane::Create(*plan_, {device_.get(), host_.get()});
  }
  std::optional<RunFailure> Run(const Numbers& fed) {
    EXPECT_TRUE(lane_->SetFeed("d", TensorOf(fed)).ok());
    return lane_->Run();
  }
  Numbers Output(const Numbers& fed) {
    EXPECT_FALSE(Run(fed).has_value());
    return ValuesOf(lane_->Output(0));
  }

  std::shared_ptr<CountingDevice> device_ = std::make_shared<CountingDevice>();
  std::shared_ptr<const opsrun_host> host_ = MakeHostTable(device_);
  std::unique_ptr<InProcessOps> ops_ = std::make_unique<InProcessOps>();
  size_t taken_ = 0;
  const Plan* plan_ = nullptr;
  std::unique_ptr<Lane> lane_;
};

// One after the other in the same views: nothing of a shape before is left. No stride is 0.
TEST_F(LateOutputsTest, AViewTellsRankSizesAndStrides) {
  const std::vector<std::pair<Numbers, Numbers>> shapes = {
      {{}, {0}},
      {{5}, {1, 5, 1}},
      {{2, 3}, {2, 2, 3, 3, 1}},
      {{2, 3, 4}, {3, 2, 3, 4, 12, 4, 1}},
      {{1, 7}, {2, 1, 7, 7, 1}},
      {{}, {0}},
      {{2, 1, 3, 1}, {4, 2, 1, 3, 1, 3, 3, 1, 1}},
      {{0}, {1, 0, 1}},
      {{3, 0}, {2, 3, 0, 1, 1}},
      {{0, 3}, {2, 0, 3, 3, 1}},
      {{2, 0, 3}, {3, 2, 0, 3, 3, 3, 1}},
      {{4}, {1, 4, 1}},
  };
  for (const std::string op : {"Spell", "Temp"}) {
    Make("  a: {op: " + op + ", in: d}\n  b: {op: Describe, in: a}\n", "b");
    for (const auto& [shape, said] : shapes) EXPECT_EQ(Output(shape), said) << op;
  }
}

// The block holds the tensor, whatever the size of an element; all of it is written.
TEST_F(LateOutputsTest, ABlockHoldsElementsOfAnyType) {
  for (const char* dtype : {"bool", "uint8", "int16", "half", "int32", "float", "int64", "double", "complex128"}) {
    const std::string name = std::string("Fill_") + dtype;
    ops_ = std::make_unique<InProcessOps>();
    ops_->Add({.name = name, .inputs = {"x: int32"}, .outputs = {std::string("y: ") + dtype}}, nullptr, FillAll);
    Make("  a: {op: " + name + ", in: d}\n", "a");
    for (const int32_t elements : {1, 15, 16, 17, 64, 100}) {
      const size_t before = lane_->MemoryBytes();
      EXPECT_FALSE(Run({elements}).has_value());
      const Result<Tensor> tensor = lane_->Output(0);
      ASSERT_TRUE(tensor.ok());
      EXPECT_EQ(tensor->num_elements(), elements);
      EXPECT_GE(lane_->MemoryBytes() - (before - taken_), tensor->num_bytes()) << dtype << " " << elements;
      taken_ = lane_->MemoryBytes() - (before - taken_);
      const auto* bytes = static_cast<const unsigned char*>(tensor->data());
      EXPECT_EQ(std::count(bytes, bytes + tensor->num_bytes(), 1), static_cast<int64_t>(tensor->num_bytes()));
    }
    taken_ = 0;
  }
}

// What was made in the run before is not there in this one.
TEST_F(LateOutputsTest, AnOutputThatIsForgottenLaterIsMissed) {
  Make("  a: {op: OnlyOnce, in: d}\n  b: {op: Describe, in: a}\n", "b");
  only_once = 0;
  EXPECT_FALSE(Run({3}).has_value());
  const std::optional<RunFailure> failure = Run({3});
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->status.code(), OPSRUN_INTERNAL);
  EXPECT_EQ(failure->status.subject(), "output:y");
  EXPECT_EQ(failure->step, 0u);
  only_once = 0;
  EXPECT_FALSE(Run({4}).has_value());
}

// Blocks are powers of two, 64 bytes the smallest; one is taken again if it is large enough and of its class.
TEST_F(LateOutputsTest, ABlockIsThePowerOfTwoThatHoldsTheTensor) {
  Make("  a: {op: Spell, in: d}\n", "a");
  const std::vector<std::pair<int32_t, size_t>> blocks = {{0, 64},   {1, 64},   {16, 64},    {17, 128},  {32, 128},
                                                          {33, 256}, {64, 256}, {256, 1024}, {257, 2048}};
  for (const auto& [elements, bytes] : blocks) {
    Make("  a: {op: Spell, in: d}\n", "a");
    const size_t before = lane_->MemoryBytes();
    for (int run = 0; run < 3; ++run) {
      EXPECT_FALSE(Run({elements}).has_value());
      EXPECT_EQ(lane_->MemoryBytes() - before, bytes) << elements << " elements";
    }
  }
}

TEST_F(LateOutputsTest, BlocksOfAllClassesAreKeptAndTakenAgain) {
  Make("  a: {op: Spell, in: d}\n", "a");
  const size_t before = lane_->MemoryBytes();
  for (int round = 0; round < 3; ++round) {
    for (const int32_t elements : {1, 17, 33, 300, 2})
      EXPECT_EQ(Output({elements}).size(), static_cast<size_t>(elements));
  }
  EXPECT_EQ(lane_->MemoryBytes() - before, size_t{64 + 128 + 256 + 2048});
}

// What is too large for memory is refused and takes no block, and is not there in the next run.
TEST_F(LateOutputsTest, WhatMemoryCannotHoldIsRefused) {
  Make("  a: {op: Large, in: d}\n", "a");
  const size_t used = device_->used();
  only_once = 0;
  const std::optional<RunFailure> failure = Run({1});
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->status.code(), OPSRUN_RESOURCE_EXHAUSTED);
  EXPECT_EQ(failure->status.subject(), "output:y");
  EXPECT_EQ(device_->used(), used);
  EXPECT_EQ(Run({1})->status.code(), OPSRUN_INTERNAL);
}

TEST_F(LateOutputsTest, AllMemoryComesBack) {
  for (const std::string op : {"Spell", "Temp"}) {
    Make("  a: {op: " + op + ", in: d}\n  b: {op: Describe, in: a}\n", "b");
    for (const int32_t elements : {1, 100, 1000, 10}) EXPECT_FALSE(Run({elements, 2}).has_value());
  }
  lane_.reset();
  EXPECT_EQ(device_->used(), 0u);
}

}  // namespace
}  // namespace opsrun::host

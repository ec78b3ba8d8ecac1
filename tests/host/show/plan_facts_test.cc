// tests/host/show/plan_facts_test.cc: how a plan uses memory, against the least that its order allows.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/plan_facts.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

// Steps of no kernel: each makes a value of so many 64-byte blocks and reads one that was made before.
class MemoryFactsTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kNone = PlanValue::kNone;

  uint32_t AddStep(int64_t blocks, size_t offset, uint32_t reads = kNone) {
    const auto s = static_cast<uint32_t>(plan_.steps.size());
    Step& step = plan_.steps.emplace_back();
    if (reads != kNone) {
      step.inputs = {reads};
      plan_.values[reads].last_reader = s;
    }
    PlanValue value;
    value.dtype = DType::kUInt8;
    value.memory = PlanValue::Memory::kArena;
    value.shape = {blocks * 64};
    value.offset = offset;
    value.producer = s;
    step.outputs = {static_cast<uint32_t>(plan_.values.size())};
    plan_.values.push_back(value);
    return step.outputs[0];
  }

  Plan plan_{std::make_shared<const Graph>()};
};

TEST_F(MemoryFactsTest, TheLowerBoundIsWhatExistsAtOneTime) {
  const uint32_t a = AddStep(4, 0);
  const uint32_t b = AddStep(1, 256, a);
  AddStep(2, 0, b);
  EXPECT_EQ(FactsOfMemory(plan_).lower_bound, 5u * 64);
}

TEST_F(MemoryFactsTest, WhatIsTakenOverCountsOnce) {
  const uint32_t a = AddStep(4, 0);
  AddStep(4, 0, a);
  plan_.steps[1].aliases = {{0, 0}};
  EXPECT_EQ(FactsOfMemory(plan_).lower_bound, 4u * 64);
}

TEST_F(MemoryFactsTest, AResultExistsToTheEnd) {
  const uint32_t a = AddStep(1, 0);
  plan_.values[a].kept = true;
  const uint32_t b = AddStep(1, 64);
  AddStep(1, 128, b);
  EXPECT_EQ(LifetimeOf(plan_, a).last, 2u);
  EXPECT_EQ(FactsOfMemory(plan_).lower_bound, 3u * 64);
}

TEST_F(MemoryFactsTest, CountsWhatTheRunAllocates) {
  plan_.values[AddStep(1, 0)].memory = PlanValue::Memory::kDynamic;
  const MemoryFacts facts = FactsOfMemory(plan_);
  EXPECT_EQ(facts.late, 1u);
  EXPECT_EQ(facts.lower_bound, 0u);
}

}  // namespace
}  // namespace opsrun::host

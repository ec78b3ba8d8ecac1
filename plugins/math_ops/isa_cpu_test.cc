// plugins/math_ops/isa_cpu_test.cc: levels of real processors, and of systems that do not save their registers.
// SPDX-License-Identifier: Apache-2.0
#include "isa_cpu.h"

#include <gtest/gtest.h>

namespace math_ops {
namespace {

// Values that CPUID and XGETBV return.
constexpr CpuFacts kCore2 = {0x0008E3BD, 0, 0x1, 0};
constexpr CpuFacts kNehalem = {0x009CE3BD, 0, 0x1, 0};
constexpr CpuFacts kHaswell = {0x7FFAFBFF, 0x000027AB, 0x21, 0x7};
constexpr CpuFacts kSkylakeServer = {0x7FFEFBFF, 0xD39FFFFB, 0x121, 0xE7};

TEST(CpuLevel, IsThatOfAllItsInstructions) {
  EXPECT_EQ(LevelOf({}), 1);
  EXPECT_EQ(LevelOf(kCore2), 1);
  EXPECT_EQ(LevelOf(kNehalem), 2);
  EXPECT_EQ(LevelOf(kHaswell), 3);
  EXPECT_EQ(LevelOf(kSkylakeServer), 4);
}

TEST(CpuLevel, NeedsASystemThatSavesTheRegisters) {
  CpuFacts facts = kSkylakeServer;
  facts.saved_state = 0x7;  // xmm and ymm
  EXPECT_EQ(LevelOf(facts), 3);
  facts.saved_state = 0x3;  // xmm
  EXPECT_EQ(LevelOf(facts), 2);
  facts.saved_state = 0;
  EXPECT_EQ(LevelOf(facts), 2);
}

TEST(CpuLevel, IsNotThatOfOneFeature) {
  CpuFacts facts = kSkylakeServer;
  facts.leaf1_ecx &= ~(1U << 12);  // FMA
  EXPECT_EQ(LevelOf(facts), 2);
}

}  // namespace
}  // namespace math_ops

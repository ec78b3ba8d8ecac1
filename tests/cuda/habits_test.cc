// tests/cuda/habits_test.cc: an error that a kernel leaves in its CUDA runtime is reported for that kernel only.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "opsrun/testing.h"

namespace {

class HabitsTest : public opsrun::test::OpTest {};

TEST_F(HabitsTest, ALaunchThatFailsIsTheErrorOfItsNodeAndOfNoLaterOne) {
  Threads(1);
  Op("ThreadEach").Input<int32_t>({2000}, std::vector<int32_t>(2000));
  RunFails("invalid configuration argument");
  Op("ThreadEach").Input<int32_t>({3}, {1, 2, 3});
  Run();
  ExpectOutput<int32_t>(0, {3}, {2, 3, 4});
}

}  // namespace

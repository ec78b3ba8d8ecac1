// tests/host/run/host_table_test.cc: the table that plugins call, as a whole.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/host_table.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(HostTable, EverySlotHasAFunction) {
  const std::shared_ptr<const opsrun_host> table = MakeHostTable(OpenCpuDevice());
  EXPECT_EQ(table->size, sizeof(opsrun_host));
  EXPECT_EQ(table->level, OPSRUN_LEVEL);
#define OPSRUN_SLOT_IS_SET(T, slot, n) EXPECT_NE(table->slot, static_cast<decltype(T::slot)>(0)) << #slot;
#define OPSRUN_NOTHING(T, field)
  OPSRUN_FIELDS_HOST(OPSRUN_SLOT_IS_SET, OPSRUN_NOTHING)
#undef OPSRUN_SLOT_IS_SET
#undef OPSRUN_NOTHING
}

}  // namespace
}  // namespace opsrun::host

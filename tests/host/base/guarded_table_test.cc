// tests/host/base/guarded_table_test.cc: a table that ends where its memory does.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/guarded_table.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

namespace opsrun::host {
namespace {

int32_t CountThreads(opsrun_call*) {
  return 5;
}

opsrun_host SomeSlots() {
  opsrun_host slots = {};
  slots.num_threads = CountThreads;
  return slots;
}

TEST(GuardedTable, HasTheSlotsOfItsLevelAndKnowsItsOwner) {
  const int owner = 0;
  const GuardedTable guarded(SomeSlots(), 1, &owner), other(SomeSlots(), 1, nullptr);
  const opsrun_host* const table = guarded.get();
  EXPECT_EQ(table->size, OPSRUN_LEVEL_1_SIZE_HOST);
  EXPECT_EQ(table->level, 1u);
  EXPECT_EQ(table->num_threads(nullptr), 5);
  EXPECT_EQ(table->cancelled, nullptr);
  EXPECT_EQ(GuardedTable::OwnerOf(table), &owner);
  EXPECT_EQ(GuardedTable::OwnerOf(other.get()), nullptr);
  EXPECT_EQ(SizeAt<opsrun_host>(1), OPSRUN_LEVEL_1_SIZE_HOST);
  EXPECT_EQ(SizeAt<opsrun_host>(OPSRUN_LEVEL), sizeof(opsrun_host));
  EXPECT_EQ(SizeAt<opsrun_kernel>(OPSRUN_LEVEL), sizeof(opsrun_kernel));
  EXPECT_EQ(SizeAt<opsrun_resource>(OPSRUN_LEVEL), sizeof(opsrun_resource));
}

TEST(GuardedTable, TellsWhichSlotWasMissed) {
  const GuardedTable guarded(SomeSlots(), 1, nullptr);
  const auto* const begin = reinterpret_cast<const char*>(guarded.get());
  constexpr int64_t kEnd = OPSRUN_LEVEL_1_SIZE_HOST;
  for (const int64_t at : {int64_t{0}, kEnd - 1, int64_t{-1}, kEnd + (1 << 20)})
    EXPECT_FALSE(SlotBehind(guarded.get(), begin + at)) << at;
  EXPECT_FALSE(SlotBehind(nullptr, begin));
  for (const int64_t at : {kEnd, kEnd + 8}) EXPECT_EQ(SlotBehind(guarded.get(), begin + at)->offset, at);
}

// For a reader and a writer: whatever handles the signal, the program does not survive.
TEST(GuardedTable, CannotBeReadBeyondItsEndNorWrittenTo) {
  const GuardedTable guarded(SomeSlots(), 1, nullptr);
  const auto* const table = reinterpret_cast<const volatile char*>(guarded.get());
  EXPECT_EQ(table[OPSRUN_LEVEL_1_SIZE_HOST - 1], 0);
  EXPECT_DEATH(static_cast<void>(table[OPSRUN_LEVEL_1_SIZE_HOST]), "");
  EXPECT_DEATH(const_cast<volatile char*>(table)[0] = 1, "");
}

}  // namespace
}  // namespace opsrun::host

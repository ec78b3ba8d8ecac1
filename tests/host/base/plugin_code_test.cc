// tests/host/base/plugin_code_test.cc: a table that ends where its memory does; memory that is there, that is
// not, and that ends.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/plugin_code.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

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

class CheckedReads : public testing::TestWithParam<bool (*)(const void*, size_t, void*)> {};

TEST_P(CheckedReads, CopyReadableMemory) {
  std::string from(100'000, 'x'), to(from.size(), ' ');
  from.back() = 'y';
  ASSERT_TRUE(GetParam()(from.data(), from.size(), to.data()));
  EXPECT_EQ(from, to);
  EXPECT_TRUE(GetParam()(nullptr, 0, nullptr));
}

TEST_P(CheckedReads, AnswerFalseForWildPointers) {
  char to[16];
  for (uintptr_t wild : {uintptr_t{0}, uintptr_t{8}, uintptr_t{0xDEAD0000}, UINTPTR_MAX - 4, uintptr_t{1} << 60})
    EXPECT_FALSE(GetParam()(reinterpret_cast<const void*>(wild), sizeof(to), to)) << wild;
}

TEST_P(CheckedReads, AnswerFalseIfOnlyTheBeginningCanBeRead) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char* pages = static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  char to[16];
  EXPECT_TRUE(GetParam()(pages + page - 16, 16, to));
  EXPECT_FALSE(GetParam()(pages + page - 8, 16, to));
  munmap(pages, 2 * page);
}

INSTANTIATE_TEST_SUITE_P(Ways, CheckedReads, testing::Values(CheckedRead, CheckedReadThroughPipe));

}  // namespace

}  // namespace opsrun::host

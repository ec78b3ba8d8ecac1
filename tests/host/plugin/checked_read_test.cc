// tests/host/plugin/checked_read_test.cc: memory that is there, that is not, and that ends.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/checked_read.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace opsrun::host {
namespace {

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

// tests/sdk/small_headers_test.cc: macros.h, strings.h, bounds_check.h, array_slice.h and status_context.h.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "opsrun/array_slice.h"
#include "opsrun/bounds_check.h"
#include "opsrun/macros.h"
#include "opsrun/status_context.h"
#include "opsrun/strings.h"

namespace opsrun {
namespace {

class Single {
 public:
  Single() = default;

 private:
  TF_DISALLOW_COPY_AND_ASSIGN(Single);
};
static_assert(!std::is_copy_constructible_v<Single> && !std::is_copy_assignable_v<Single>, "it has no copies");

TEST(Macros, CountAnArray) {
  const int numbers[] = {1, 2, 3};
  EXPECT_EQ(TF_ARRAYSIZE(numbers), 3u);
}

TEST(Strings, AreCatOfAnyPieces) {
  EXPECT_EQ(strings::StrCat("a", 1, StringPiece("bc", 1), 0.5, true), "a1b0.51");
  std::string text = "x";
  strings::StrAppend(&text, "=", 7);
  EXPECT_EQ(text, "x=7");
}

TEST(FastBoundsCheck, TakesIndicesFromZeroToTheLimit) {
  EXPECT_TRUE(FastBoundsCheck(0, 1));
  EXPECT_TRUE(FastBoundsCheck(int64_t{4}, 5));
  EXPECT_FALSE(FastBoundsCheck(5, int64_t{5}));
  EXPECT_FALSE(FastBoundsCheck(-1, 5));
  EXPECT_FALSE(FastBoundsCheck(std::numeric_limits<int64_t>::min(), 5));
  EXPECT_EQ(internal::SubtleMustCopy(int32_t{7}), 7);
}

int Sum(gtl::ArraySlice<int> values) {
  int sum = 0;
  for (int value : values) sum += value;
  return sum;
}

TEST(ArraySlice, IsMadeFromWhateverHoldsElements) {
  const int array[] = {1, 2};
  EXPECT_EQ(Sum({1, 2, 3}), 6);
  EXPECT_EQ(Sum(std::vector<int>{4, 5}), 9);
  EXPECT_EQ(Sum(array), 3);
  EXPECT_TRUE(gtl::ArraySlice<int>().empty());
  EXPECT_EQ(gtl::ArraySlice<int>(array, 2).back(), 2);
}

Status Read(const Status& status) {
  TF_RETURN_WITH_CONTEXT_IF_ERROR(status, "while reading row ", 3);
  return Status::OK();
}

TEST(StatusContext, AddsALineAndKeepsWhoIsBlamed) {
  EXPECT_TRUE(Read(Status::OK()).ok());
  const Status status = Read(errors::OutOfRange("no more").Blame("input:x"));
  EXPECT_EQ(status.ToString(), "OUT_OF_RANGE: no more\n\twhile reading row 3");
  EXPECT_EQ(status.subject(), "input:x");
}

}  // namespace
}  // namespace opsrun

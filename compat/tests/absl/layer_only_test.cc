// compat/tests/absl/layer_only_test.cc: names of the layer that the abseil of some systems does not have.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <mutex>
#include <shared_mutex>

#include "every_absl_header.h"

namespace {

using opsrun::internal::Failure;

TEST(AbslEscaping, SaysWhetherATextIsHexadecimal) {
  std::string bytes = "as before";
  EXPECT_FALSE(absl::HexStringToBytes("414", &bytes));
  EXPECT_FALSE(absl::HexStringToBytes("4g", &bytes));
  EXPECT_EQ(bytes, "as before");
  EXPECT_TRUE(absl::HexStringToBytes("41fF", &bytes));
  EXPECT_EQ(bytes, "A\xff");
  EXPECT_TRUE(absl::HexStringToBytes("", &bytes));
  EXPECT_EQ(bytes, "");
}

TEST(AbslStatusOr, HasItsOlderNames) {
  absl::StatusOr<std::string> text = std::string("abc");
  EXPECT_EQ(text.ValueOrDie(), "abc");
  EXPECT_EQ(text.ConsumeValueOrDie(), "abc");
  const absl::StatusOr<int> none = absl::NotFoundError("none");
  EXPECT_THROW(none.ValueOrDie(), Failure);
  EXPECT_THROW(none.value(), Failure);
}

TEST(AbslMutex, IsForTheLocksOfTheStandard) {
  absl::Mutex mutex;
  mutex.lock();
  mutex.unlock();
  mutex.lock_shared();
  mutex.unlock_shared();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
  const std::lock_guard<absl::Mutex> guard(mutex);
}

TEST(AbslMutex, IsLockedByReference) {
  absl::Mutex mutex;
  { absl::MutexLock lock(mutex); }
  absl::ReaderMutexLock lock(mutex);
}

TEST(AbslFormat, WritesAnyValue) {
  EXPECT_EQ(absl::StrFormat("%v %v", 7, "seven"), "7 seven");
}

TEST(AbslAlgorithms, FindInContainers) {
  EXPECT_TRUE(absl::c_contains(std::vector<int>{1, 2}, 2));
  EXPECT_FALSE(absl::c_contains(std::vector<int>{1, 2}, 3));
}

TEST(AbslMatch, ContainsIgnoringCase) {
  EXPECT_TRUE(absl::StrContainsIgnoreCase("Haystack", "YST"));
  EXPECT_FALSE(absl::StrContainsIgnoreCase("Haystack", "needle"));
}

struct Creature {
  virtual ~Creature() = default;
};
struct Kitten : Creature {
  int lives = 9;
};
struct ABSL_ATTRIBUTE_VIEW ABSL_ATTRIBUTE_TRIVIAL_ABI View {
  const int* at;
};
struct ABSL_ATTRIBUTE_OWNER Owner {
  int value;
};

TEST(AbslCasts, GoDown) {
  Kitten cat;
  Creature* const animal = &cat;
  EXPECT_EQ(absl::down_cast<Kitten*>(animal)->lives, 9);
  const Owner owner = {4};
  EXPECT_EQ(*View{&owner.value}.at, 4);
}

TEST(AbslCheck, PassesWhatHolds) {
  ABSL_CHECK(true) << "not written";
  ABSL_CHECK_EQ(1, 1);
  ABSL_CHECK_NE(1, 2);
  ABSL_CHECK_LT(1, 2);
  ABSL_CHECK_LE(1, 1);
  ABSL_CHECK_GT(2, 1);
  ABSL_CHECK_GE(1, 1);
  ABSL_CHECK_OK(absl::OkStatus());
  ABSL_DCHECK(true);
  int number = 3;
  EXPECT_EQ(*ABSL_DIE_IF_NULL(&number), 3);
}

TEST(AbslCheck, FailsTheCall) {
  static int* const none = nullptr;
  void (*const checks[])() = {[] { ABSL_CHECK(false) << "no"; }, [] { ABSL_CHECK_EQ(1, 2); },
                              [] { ABSL_CHECK_NE(1, 1); },       [] { ABSL_CHECK_LT(1, 1); },
                              [] { ABSL_CHECK_LE(2, 1); },       [] { ABSL_CHECK_GT(1, 1); },
                              [] { ABSL_CHECK_GE(0, 1); },       [] { ABSL_CHECK_OK(absl::InternalError("no")); },
                              [] { ABSL_DIE_IF_NULL(none); }};
  for (const auto& check : checks) EXPECT_THROW(check(), Failure) << &check - checks;
}

TEST(AbslLog, WritesLines) {
  testing::internal::CaptureStderr();
  ABSL_LOG(INFO) << "first";
  ABSL_LOG_IF(WARNING, 1 > 2) << "second";
  ABSL_VLOG(9) << "third";
  LOG(ERROR) << "fourth";
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(absl::StrContains(text, "first"));
  EXPECT_FALSE(absl::StrContains(text, "second"));
  EXPECT_FALSE(absl::StrContains(text, "third"));
  EXPECT_TRUE(absl::StrContains(text, "fourth"));
  EXPECT_FALSE(VLOG_IS_ON(9));
}

}  // namespace

// compat/tests/absl/attributes_test.cc: macros of absl/base: sources compile with them, and they change no result. By the
// SDK's layer and by abseil itself. SPDX-License-Identifier: Apache-2.0
#include "absl/base/attributes.h"

#include <gtest/gtest.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "absl/base/casts.h"
#include "absl/base/config.h"
#include "absl/base/log_severity.h"
#include "absl/base/macros.h"
#include "absl/base/optimization.h"
#include "absl/base/port.h"

namespace {

inline ABSL_ATTRIBUTE_ALWAYS_INLINE int Always() {
  return 1;
}
ABSL_ATTRIBUTE_NOINLINE int Never() {
  return 2;
}
ABSL_ATTRIBUTE_COLD int Rarely() {
  return 3;
}
ABSL_ATTRIBUTE_HOT int Often() {
  return 4;
}
ABSL_ATTRIBUTE_NORETURN void End() {
  exit(1);
}
ABSL_ATTRIBUTE_NO_SANITIZE_ADDRESS ABSL_ATTRIBUTE_NO_SANITIZE_MEMORY ABSL_ATTRIBUTE_NO_SANITIZE_THREAD
    ABSL_ATTRIBUTE_NO_SANITIZE_UNDEFINED int
    Unwatched() {
  return 5;
}
ABSL_MUST_USE_RESULT int MustUse() {
  return 6;
}
int First(const int* numbers) ABSL_ATTRIBUTE_NONNULL(1);
int First(const int* numbers) {
  return *numbers;
}
ABSL_ATTRIBUTE_RETURNS_NONNULL const char* Text() {
  return "text";
}
const std::string& Same(const std::string& text ABSL_ATTRIBUTE_LIFETIME_BOUND) {
  return text;
}
int Print(char* to, size_t size, const char* format, ...) ABSL_PRINTF_ATTRIBUTE(3, 4);
int Print(char* to, size_t size, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(to, size, format, arguments);
  va_end(arguments);
  return n;
}
ABSL_DEPRECATED("use Text") ABSL_ATTRIBUTE_UNUSED const char* OldText() {
  return "old";
}
struct ABSL_ATTRIBUTE_PACKED Packed {
  char c;
  int i;
};
struct ABSL_CACHELINE_ALIGNED Aligned {
  int i;
};
ABSL_CONST_INIT const int kSetAtStart = 8;

}  // namespace

ABSL_ATTRIBUTE_WEAK int Replaceable() {
  return 7;
}

namespace {

TEST(AbslAttributes, ChangeNoResult) {
  const int number = 9;
  EXPECT_EQ(Always() + Never() + Rarely() + Often() + Unwatched() + MustUse() + Replaceable(), 28);
  EXPECT_EQ(First(&number) + kSetAtStart, 17);
  EXPECT_STREQ(Text(), "text");
  EXPECT_EQ(Same("same").size(), 4u);
  char text[8];
  EXPECT_EQ(Print(text, sizeof(text), "%d", 12), 2);
}

TEST(AbslAttributes, LayOutMemory) {
  EXPECT_EQ(sizeof(Packed), 5u);
  EXPECT_EQ(alignof(Aligned), size_t{ABSL_CACHELINE_SIZE});
}

TEST(AbslAttributes, EndTheProcess) {
  EXPECT_EXIT(End(), ::testing::ExitedWithCode(1), "");
}

int Steps(int from) {
  int steps = 0;
  switch (from) {
    case 0:
      ++steps;
      ABSL_FALLTHROUGH_INTENDED;
    case 1:
      ++steps;
      break;
    default:
      break;
  }
  return steps;
}
int Divided(int a, int b) {
  ABSL_ASSUME(b > 0);
  const int quotient = Never() * a / b;
  ABSL_BLOCK_TAIL_CALL_OPTIMIZATION();
  return quotient;
}

TEST(AbslOptimization, HintsChangeNoResult) {
  EXPECT_EQ(Steps(0), 2);
  EXPECT_EQ(Steps(1), 1);
  EXPECT_EQ(Divided(6, 4), 3);
  EXPECT_TRUE(ABSL_PREDICT_TRUE(7));
  EXPECT_FALSE(ABSL_PREDICT_FALSE(0));
}

TEST(AbslMacros, AssertWhatHolds) {
  ABSL_ASSERT(Always() == 1);
  ABSL_HARDENING_ASSERT(Always() == 1);
  const int numbers[] = {1, 2, 3};
  static_assert(ABSL_ARRAYSIZE(numbers) == 3, "it is known to the compiler");
}

TEST(AbslConfig, KnowsTheOrderOfBytes) {
  const uint32_t number = 1;
  char first;
  memcpy(&first, &number, 1);
#ifdef ABSL_IS_LITTLE_ENDIAN
  EXPECT_EQ(first, 1);
#endif
#ifdef ABSL_IS_BIG_ENDIAN
  EXPECT_EQ(first, 0);
#endif
#if ABSL_HAVE_BUILTIN(__builtin_not_a_builtin)
  ADD_FAILURE() << "there is no such builtin";
#endif
}

TEST(AbslLogSeverity, IsOrdered) {
  EXPECT_LT(absl::LogSeverity::kInfo, absl::LogSeverity::kWarning);
  EXPECT_LT(absl::LogSeverity::kError, absl::LogSeverity::kFatal);
  EXPECT_EQ(static_cast<int>(absl::LogSeverity::kFatal), 3);
}

struct Animal {
  virtual ~Animal() = default;
};
struct Cat : Animal {
  int lives = 9;
};

TEST(AbslCasts, Convert) {
  Cat cat;
  Animal* const animal = absl::implicit_cast<Animal*>(&cat);
  EXPECT_EQ(animal, &cat);
  EXPECT_EQ(absl::implicit_cast<double>(3), 3.0);
  EXPECT_EQ(absl::bit_cast<int64_t>(-0.0), std::numeric_limits<int64_t>::min());
}

}  // namespace

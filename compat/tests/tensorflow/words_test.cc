// compat/tests/tensorflow/words_test.cc: strings, paths, environment variables, and containers, under TensorFlow's
// names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <memory>

#include "every_header.h"

namespace tensorflow {
namespace {

TEST(CompatCleanup, IsCalledOnce) {
  int calls = 0;
  const auto add = [&calls] { ++calls; };
  {
    gtl::Cleanup<std::function<void()>> late(add);
    auto released = gtl::MakeCleanup(add);
    EXPECT_FALSE(released.is_released());
    const auto function = released.release();
    EXPECT_TRUE(released.is_released());
    EXPECT_EQ(calls, 0);
    function();
    auto moved = gtl::MakeCleanup(add);
    const auto target = std::move(moved);
  }
  EXPECT_EQ(calls, 3);
}

TEST(CompatContainers, AreThoseOfTheStandard) {
  gtl::FlatSet<std::string> set = {"a", "b", "a"};
  EXPECT_EQ(set.size(), 2u);
  gtl::InlinedVector<int, 4> values = {1, 2};
  values.push_back(3);
  EXPECT_EQ(values.size(), 3u);
  gtl::optional<int> some = gtl::make_optional(3), none = gtl::nullopt;
  EXPECT_EQ(some.value_or(0) + none.value_or(4), 7);
}

int alive = 0;
struct CountedWord {
  CountedWord() { ++alive; }
  ~CountedWord() { --alive; }
};

TEST(CompatContainers, OwnPointers) {
  std::vector<CountedWord*> values = {new CountedWord, new CountedWord};
  gtl::STLDeleteElements(&values);
  EXPECT_TRUE(values.empty());
  gtl::FlatMap<int, CountedWord*> map = {{1, new CountedWord}};
  gtl::STLDeleteValues(&map);
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(alive, 0);
}

TEST(CompatContainers, AreChangedInPlace) {
  std::vector<int> values = {3, 1, 3, 2};
  gtl::STLSortAndRemoveDuplicates(&values);
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3}));
  std::string text = "abc";
  gtl::string_as_array(&text)[1] = 'x';
  EXPECT_EQ(text, "axc");
}

bool Fails(void (*body)()) {
  try {
    body();
  } catch (const internal::Failure&) {
    return true;
  }
  return false;
}

TEST(CompatLogging, ChecksWhatHolds) {
  QCHECK(true) << "not written";
  QCHECK_NE(1, 2);
  QCHECK_LT(1, 2);
  QCHECK_LE(1, 1);
  QCHECK_GT(2, 1);
  QCHECK_GE(1, 1);
  QCHECK_OK(Status());
  DCHECK_OK(Status());
  TF_QCHECK_OK(Status());
  PCHECK(true);
  CHECK_STRNE("a", "b");
  CHECK_STREQ(nullptr, nullptr);
  CHECK_OK(Status());
  CHECK_NEAR(1.0, 1.1, 0.2);
  const std::string text = "a";
  if (text.empty()) CHECK_NEAR(1.0, 2.0, 0.2) << "a whole statement, which does not run";
}

TEST(CompatLogging, FailsTheCall) {
  EXPECT_TRUE(Fails([] { QCHECK(false); }));
  EXPECT_TRUE(Fails([] { QCHECK_NE(1, 1); }));
  EXPECT_TRUE(Fails([] { QCHECK_LT(1, 1); }));
  EXPECT_TRUE(Fails([] { QCHECK_LE(2, 1); }));
  EXPECT_TRUE(Fails([] { QCHECK_GT(1, 1); }));
  EXPECT_TRUE(Fails([] { QCHECK_GE(0, 1); }));
  EXPECT_TRUE(Fails([] { QCHECK_OK(errors::Internal("no")); }));
  EXPECT_TRUE(Fails([] { TF_QCHECK_OK(errors::Internal("no")); }));
  EXPECT_TRUE(Fails([] { PCHECK(false); }));
  EXPECT_TRUE(Fails([] { CHECK_STRNE("a", "a"); }));
  EXPECT_TRUE(Fails([] { CHECK_STREQ("a", nullptr); }));
  EXPECT_TRUE(Fails([] { QCHECK_EQ(1, 2) << "no"; }));
  EXPECT_TRUE(Fails([] { CHECK_NEAR(2.0, 1.0, 0.2); }));
}

TEST(Severities, AreNumbers) {
  EXPECT_TRUE(INFO < WARNING && WARNING < ERROR && ERROR < FATAL && FATAL < NUM_SEVERITIES);
  EXPECT_EQ(VLOG_IS_ON(INFO), true);
}

TEST(CompatLogging, WritesSomeLines) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10; ++i) {
    LOG_EVERY_POW_2(INFO) << "power";        // 0, 1, 2, 4, 8
    LOG_EVERY_N_SEC(INFO, 100) << "second";  // once
    LOG_EVERY_N(INFO, 5) << "fifth";         // 0, 5
    LOG_FIRST_N(WARNING, 1) << "first" << std::endl;
    DLOG(INFO) << "debug";
    DVLOG(9) << "verbose";
  }
  const std::string text = testing::internal::GetCapturedStderr();
  const auto count = [&text](StringPiece word) {
    int n = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("power"), 5);
  EXPECT_EQ(count("second"), 1);
  EXPECT_EQ(count("fifth"), 2);
  EXPECT_EQ(count("first"), 1);
  EXPECT_EQ(count("verbose"), 0);
#ifdef NDEBUG
  EXPECT_EQ(count("debug"), 0);
#else
  EXPECT_EQ(count("debug"), 10);
#endif
}

}  // namespace
}  // namespace tensorflow

// tests/sdk/logging_test.cc: LOG, CHECK and their kin: what they write, and how they fail a call.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/logging.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

// What the body gives up with, its place left out; "" if it comes to its end.
template <typename Body>
std::string GivesUp(Body body) {
  BodyTest t;
  const std::string told = t.Compute([&](OpKernelContext*) { body(); });
  return told.substr(0, told.find(" (logging_test.cc:"));
}

template <typename Body>
std::string Written(Body body) {
  testing::internal::CaptureStderr();
  body();
  return testing::internal::GetCapturedStderr();
}

struct Point {
  int x;
};
std::ostream& operator<<(std::ostream& os, const Point& point) {
  return os << "point " << point.x;
}

TEST(Logging, WritesALineWithItsPlace) {
  const std::string text = Written([] { LOG(WARNING) << "row " << 3 << " of " << std::string("x") << ' ' << 0.5; });
  EXPECT_EQ(text.substr(0, 18), "W logging_test.cc:");
  EXPECT_EQ(text.substr(text.find(']')), "] row 3 of x 0.5\n");
}

TEST(Logging, TakesPointersShapesAndWhatAStreamTakes) {
  const std::string text = Written([] { LOG(INFO) << nullptr << " " << TensorShape({2, 3}) << " " << Point{4}; });
  EXPECT_EQ(text.substr(text.find(']')), "] null [2,3] point 4\n");
}

TEST(Logging, IsOneStatement) {
  const auto log = [](bool really) {
    if (really)
      LOG_IF(INFO, true) << "said";
    else
      LOG(INFO) << "not said";
    VLOG(1) << "only if asked for";
  };
  EXPECT_NE(Written([&] { log(true); }).find("] said\n"), std::string::npos);
}

TEST(Check, PassesWithoutAWord) {
  int evaluated = 0;
  EXPECT_EQ(GivesUp([&] {
              CHECK(++evaluated == 1) << "never";
              CHECK_EQ(2, 2) << "never";
              CHECK_LT(1, size_t{2});
              TF_CHECK_OK(Status::OK());
            }),
            "");
  EXPECT_EQ(evaluated, 1);
}

TEST(Check, FailsTheCallWithWhatWasExpected) {
  EXPECT_EQ(GivesUp([] { CHECK(1 + 1 == 3) << "as ever, " << 7; }), "13: Check failed: 1 + 1 == 3 as ever, 7");
  EXPECT_EQ(GivesUp([] { CHECK_EQ(std::string("a"), "b"); }),
            "13: Check failed: std::string(\"a\") == \"b\" (a vs. b) ");
  EXPECT_EQ(GivesUp([] { CHECK_GE(1, 2) << "rows"; }), "13: Check failed: 1 >= 2 (1 vs. 2) rows");
  EXPECT_EQ(GivesUp([] { LOG(FATAL) << "no way on"; }), "13: no way on");
}

TEST(Check, OfAStatusKeepsItsCode) {
  EXPECT_EQ(GivesUp([] { TF_CHECK_OK(errors::NotFound("no table")) << "in the kernel"; }), "5: no table in the kernel");
}

TEST(Check, OfAPointerGivesIt) {
  int three = 3;
  EXPECT_EQ(*CHECK_NOTNULL(&three), 3);
  const std::unique_ptr<int> none;
  EXPECT_EQ(GivesUp([&] { *CHECK_NOTNULL(none.get()) = 1; }), "13: Check failed: none.get() is null");
}

TEST(Check, InDebugBuildsOnly) {
  int evaluated = 0;
  const std::string told = GivesUp([&] { DCHECK_EQ(++evaluated, 2) << "so"; });
#if defined(NDEBUG)
  EXPECT_EQ(told, "");
  EXPECT_EQ(evaluated, 0);
#else
  EXPECT_EQ(told, "13: Check failed: ++evaluated == 2 (1 vs. 2) so");
#endif
}

}  // namespace
}  // namespace opsrun_test

// tests/sdk/small_headers_test.cc: macros.h, strings.h, bounds_check.h, check_shapes.h and array_slice.h.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opsrun/array_slice.h"
#include "opsrun/bounds_check.h"
#include "opsrun/check_shapes.h"
#include "opsrun/logging.h"
#include "opsrun/macros.h"
#include "opsrun/op_requires.h"
#include "opsrun/status.h"
#include "opsrun/strings.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
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

TEST(CheckShapes, SaysWhatAShapeMustBeAndBlamesTheInput) {
  const TensorShape scalar, vector({2}), matrix({2, 3});
  for (const Status& status :
       {Status(CheckScalar(scalar, "x")), Status(CheckVector(vector, "x")), Status(CheckMatrix(matrix, "x")),
        Status(CheckRankAtLeast(matrix, "x", 2)), Status(CheckShape(vector, "x", vector))}) {
    EXPECT_EQ(status, Status());
  }
  const std::pair<Status, const char*> wrong[] = {
      {CheckScalar(vector, "x"), "x must be a scalar, but its shape is [2]"},
      {CheckVector(matrix, "x"), "x must be a vector, but its shape is [2,3]"},
      {CheckMatrix(scalar, "x"), "x must be a matrix, but its shape is []"},
      {CheckRankAtLeast(vector, "x", 2), "x must have at least 2 dimensions, but its shape is [2]"},
      {CheckShape(vector, "x", matrix), "x must have the shape [2,3], but its shape is [2]"},
      {CheckShape(vector, "x", matrix, "y"), "x must have the shape of y, which is [2,3], but its shape is [2]"}};
  for (const auto& [status, message] : wrong) {
    EXPECT_EQ(status.message(), message);
    EXPECT_EQ(status.subject(), "input:x");
  }
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

// The failure of the body, without its location; "" if it succeeds.
template <typename Body>
std::string GivesUp(Body body) {
  BodyTest t;
  const std::string told = t.Compute([&](OpKernelContext*) { body(); });
  return told.substr(0, told.find(" (small_headers_test.cc:"));
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
  EXPECT_EQ(text.substr(0, 24), "W small_headers_test.cc:");
  EXPECT_EQ(text.substr(text.find(']')), "] row 3 of x 0.5\n");
}

TEST(Logging, GoesToTheHostWhileThereIsOne) {
  const TestHost host;
  const std::string text = Written([] { LOG(WARNING) << "row " << 3; });
  EXPECT_EQ(text.substr(0, text.find(':', 30)), "warning: row 3 (small_headers_test.cc");
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

enum Fruit { kApple = 3 };

struct Described {
  std::string DebugString() const { return "described"; }
};

TEST(Status, OkIsANullPointer) {
  EXPECT_EQ(sizeof(Status), sizeof(void*));
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status::OK(), OkStatus());
  EXPECT_EQ(Status::OK().ToString(), "OK");
  EXPECT_EQ(Status::OK().message(), "");
  EXPECT_TRUE(Status(error::OK, "ignored").ok());
}

TEST(Status, CopiesKeepCodeSentenceAndSubject) {
  const Status status = errors::NotFound("no x").Blame("attr:x");
  Status copy = status;
  EXPECT_EQ(copy, status);
  EXPECT_EQ(copy.code(), error::NOT_FOUND);
  EXPECT_EQ(copy.error_message(), "no x");
  EXPECT_EQ(copy.subject(), "attr:x");
  copy = Status::OK();
  EXPECT_FALSE(status.ok());
}

TEST(Status, KeepsTheFirstFailureAndTheFirstBlame) {
  EXPECT_EQ(errors::Internal("no").Blame("input:x").Blame("attr:n").subject(), "input:x");
  Status status;
  status.Update(errors::Internal("first"));
  status.Update(errors::Unknown("second"));
  EXPECT_EQ(status.ToString(), "INTERNAL: first");
}

TEST(Status, GoesToAStream) {
  std::ostringstream stream;
  stream << errors::Aborted("stop") << ' ' << Status::OK();
  EXPECT_EQ(stream.str(), "ABORTED: stop OK");
}

TEST(Errors, ConcatenateAnyMixAndAskForTheirCode) {
  EXPECT_EQ(errors::Internal(std::string("ready")).message(), "ready");
  EXPECT_TRUE(errors::IsOutOfRange(errors::OutOfRange("")));
  EXPECT_FALSE(errors::IsOutOfRange(Status::OK()));
  const std::string text = "text";
  const char* null = nullptr;
  EXPECT_EQ(errors::InvalidArgument("a", text, std::string_view("v"), 'c', 1, -2L, 3ull, true, 0.5, 2.5f, kApple,
                                    Described(), null)
                .message(),
            "atextvc1-2310.52.53described(null)");
}

Status FailIf(bool fail, std::initializer_list<int> numbers) {
  return fail ? errors::DataLoss(numbers.size(), " numbers") : Status::OK();
}

Status Chain(bool fail, int* reached) {
  TF_RETURN_IF_ERROR(FailIf(fail, {1, 2, 3}));
  ++*reached;
  return Status::OK();
}

TEST(ReturnIfError, ReturnsOnlyAFailure) {
  int reached = 0;
  EXPECT_TRUE(Chain(false, &reached).ok());
  EXPECT_EQ(Chain(true, &reached).ToString(), "DATA_LOSS: 3 numbers");
  EXPECT_EQ(reached, 1);
}

}  // namespace
}  // namespace opsrun_test

// tests/sdk/status_test.cc: Status, errors::* and the macros that return.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/status.h"

#include <gtest/gtest.h>

#include <sstream>

namespace opsrun {
namespace {

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

TEST(Status, UpdateKeepsTheFirstFailure) {
  Status status;
  status.Update(errors::Internal("first"));
  status.Update(errors::Unknown("second"));
  EXPECT_EQ(status.ToString(), "INTERNAL: first");
}

TEST(Status, OfCodeOkIsOk) {
  EXPECT_TRUE(Status(error::OK, "ignored").ok());
}

TEST(Status, GoesToAStream) {
  std::ostringstream stream;
  stream << errors::Aborted("stop") << ' ' << Status::OK();
  EXPECT_EQ(stream.str(), "ABORTED: stop OK");
}

TEST(Errors, ConcatenateAnyMix) {
  const std::string text = "text";
  const char* null = nullptr;
  EXPECT_EQ(errors::InvalidArgument("a", text, std::string_view("v"), 'c', 1, -2L, 3ull, true, 0.5, 2.5f, kApple,
                                    Described(), null)
                .message(),
            "atextvc1-2310.52.53described(null)");
}

TEST(Errors, TakeOneReadySentence) {
  EXPECT_EQ(errors::Internal(std::string("ready")).message(), "ready");
}

TEST(Errors, AskForTheirCode) {
  EXPECT_TRUE(errors::IsOutOfRange(errors::OutOfRange("")));
  EXPECT_FALSE(errors::IsOutOfRange(Status::OK()));
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

TEST(Status, TheFirstBlameCounts) {
  EXPECT_EQ(errors::Internal("no").Blame("input:x").Blame("attr:n").subject(), "input:x");
}

}  // namespace
}  // namespace opsrun

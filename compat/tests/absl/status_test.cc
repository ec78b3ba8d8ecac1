// compat/tests/absl/status_test.cc: absl::Status and StatusOr, by the SDK's layer and by abseil itself, next to the SDK's.
// SPDX-License-Identifier: Apache-2.0
#include "absl/status/status.h"

#include <gtest/gtest.h>

#include "absl/memory/memory.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/platform/statusor.h"

namespace {

TEST(AbslStatus, HasCodeAndMessage) {
  EXPECT_TRUE(absl::OkStatus().ok());
  const absl::Status status = absl::NotFoundError("no key");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no key");
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_FALSE(absl::IsInternal(status));
  EXPECT_EQ(absl::Status(absl::StatusCode::kAborted, "x"), absl::AbortedError("x"));
  EXPECT_EQ(status.ToString(), "NOT_FOUND: no key");
  EXPECT_EQ(absl::StatusCodeToString(absl::StatusCode::kDataLoss), "DATA_LOSS");
}

TEST(AbslStatus, KeepsTheFirstFailure) {
  absl::Status status;
  status.Update(absl::OkStatus());
  status.Update(absl::InternalError("first"));
  status.Update(absl::UnknownError("second"));
  EXPECT_EQ(status.message(), "first");
  status.IgnoreError();
}

TEST(AbslStatus, ConvertsToTheSdksAndBack) {
  const tensorflow::Status ours = absl::OutOfRangeError("row 9");
  EXPECT_EQ(ours.code(), tensorflow::error::OUT_OF_RANGE);
  EXPECT_EQ(ours.message(), "row 9");
  const absl::Status theirs = tensorflow::errors::DataLoss("bit ", 3);
  EXPECT_EQ(theirs.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(theirs.message(), "bit 3");
  EXPECT_TRUE(absl::Status(tensorflow::Status()).ok());
  EXPECT_TRUE(tensorflow::errors::IsDataLoss(theirs));
}

absl::Status FailsIf(bool fails) {
  return fails ? absl::InvalidArgumentError("fails") : absl::OkStatus();
}
tensorflow::Status Passes(bool fails) {
  TF_RETURN_IF_ERROR(FailsIf(fails));
  return tensorflow::Status();
}
absl::Status PassesBack(bool fails) {
  TF_RETURN_IF_ERROR(Passes(fails));
  return absl::OkStatus();
}

// All returns of a lambda must have one type, whichever of the names they use.
TEST(AbslStatus, MayBeMixedInALambda) {
  const auto old_names = [](tensorflow::shape_inference::InferenceContext* c, bool fails) {
    TF_RETURN_IF_ERROR(FailsIf(fails));
    if (c->num_inputs() == 1) return tensorflow::errors::InvalidArgument("one input");
    if (c->num_inputs() == 2) return tensorflow::shape_inference::UnchangedShape(c);
    return tensorflow::Status::OK();
  };
  const auto new_names = [](tensorflow::shape_inference::InferenceContext* c, bool fails) {
    tensorflow::shape_inference::ShapeHandle out;
    TF_RETURN_IF_ERROR(FailsIf(fails));
    if (c->num_inputs() == 1) return absl::InvalidArgumentError("one input");
    if (c->num_inputs() == 2) return c->Merge(c->input(0), c->input(1), &out);
    if (c->num_inputs() == 3) return tensorflow::OkStatus();
    return absl::OkStatus();
  };
  char never_used = 0;
  auto* const context = reinterpret_cast<tensorflow::shape_inference::InferenceContext*>(&never_used);
  EXPECT_EQ(old_names(context, true).message(), "fails");
  EXPECT_EQ(new_names(context, true).message(), "fails");
}

TEST(AbslStatus, KeepsTheSubject) {
  const absl::Status theirs = tensorflow::Status(tensorflow::errors::NotFound("no key")).Blame("input:keys");
  EXPECT_EQ(tensorflow::Status(theirs).subject(), "input:keys");
}

TEST(AbslStatus, PassesThroughTheMacros) {
  EXPECT_TRUE(PassesBack(false).ok());
  EXPECT_EQ(PassesBack(true), absl::InvalidArgumentError("fails"));
  const auto deduced = [](bool fails) {
    TF_RETURN_IF_ERROR(Passes(fails));
    return absl::OkStatus();
  };
  EXPECT_FALSE(deduced(true).ok());
}

absl::StatusOr<int> Half(int n) {
  if (n % 2 != 0) return absl::InvalidArgumentError(absl::StrCat(n, " is odd"));
  return n / 2;
}
absl::StatusOr<int> Quarter(int n) {
  TF_ASSIGN_OR_RETURN(const int half, Half(n));
  TF_ASSIGN_OR_RETURN(int quarter, Half(half));
  return quarter;
}

TEST(AbslStatusOr, HasAValueOrAReason) {
  EXPECT_EQ(Half(4).value(), 2);
  EXPECT_EQ(*Half(6), 3);
  EXPECT_EQ(Half(3).status().message(), "3 is odd");
  EXPECT_EQ(Half(3).value_or(7), 7);
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_FALSE(Quarter(6).ok());
  absl::StatusOr<std::unique_ptr<int>> owner = absl::make_unique<int>(5);
  EXPECT_EQ(*std::move(owner).value(), 5);
  const tensorflow::StatusOr<std::string> text = "abc";
  EXPECT_EQ(text->size(), 3u);
}

}  // namespace

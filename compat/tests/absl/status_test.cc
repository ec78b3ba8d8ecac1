// compat/tests/absl/status_test.cc: absl::Status and StatusOr together with the SDK's Status.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "every_absl_header.h"
#include "every_header.h"

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

// All returns of a lambda must have the same type, whichever name they use.
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
    tensorflow::TensorShape shape;
    auto* const resources = reinterpret_cast<tensorflow::ResourceMgr*>(c);  // never used either
    if (c->num_inputs() == 4) return tensorflow::TensorShapeUtils::MakeShape(std::vector<int64_t>(), &shape);
    if (c->num_inputs() == 5) return resources->Delete(tensorflow::ResourceHandle());
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
  const auto with_context = [](const tensorflow::Status& status) {
    TF_RETURN_WITH_CONTEXT_IF_ERROR(status, "in a lambda");
    return tensorflow::Status::OK();
  };
  EXPECT_TRUE(with_context(tensorflow::Status()).ok());
  EXPECT_TRUE(absl::IsAborted(with_context(tensorflow::errors::Aborted("no"))));
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

struct Case {
  absl::Status (*make)(absl::string_view);
  bool (*is)(const absl::Status&);
  int code;
  const char* name;
};

TEST(AbslStatus, HasSixteenErrors) {
  const Case cases[] = {
      {absl::CancelledError, absl::IsCancelled, 1, "CANCELLED"},
      {absl::UnknownError, absl::IsUnknown, 2, "UNKNOWN"},
      {absl::InvalidArgumentError, absl::IsInvalidArgument, 3, "INVALID_ARGUMENT"},
      {absl::DeadlineExceededError, absl::IsDeadlineExceeded, 4, "DEADLINE_EXCEEDED"},
      {absl::NotFoundError, absl::IsNotFound, 5, "NOT_FOUND"},
      {absl::AlreadyExistsError, absl::IsAlreadyExists, 6, "ALREADY_EXISTS"},
      {absl::PermissionDeniedError, absl::IsPermissionDenied, 7, "PERMISSION_DENIED"},
      {absl::ResourceExhaustedError, absl::IsResourceExhausted, 8, "RESOURCE_EXHAUSTED"},
      {absl::FailedPreconditionError, absl::IsFailedPrecondition, 9, "FAILED_PRECONDITION"},
      {absl::AbortedError, absl::IsAborted, 10, "ABORTED"},
      {absl::OutOfRangeError, absl::IsOutOfRange, 11, "OUT_OF_RANGE"},
      {absl::UnimplementedError, absl::IsUnimplemented, 12, "UNIMPLEMENTED"},
      {absl::InternalError, absl::IsInternal, 13, "INTERNAL"},
      {absl::UnavailableError, absl::IsUnavailable, 14, "UNAVAILABLE"},
      {absl::DataLossError, absl::IsDataLoss, 15, "DATA_LOSS"},
      {absl::UnauthenticatedError, absl::IsUnauthenticated, 16, "UNAUTHENTICATED"},
  };
  for (const Case& one : cases) {
    const absl::Status status = one.make("why");
    EXPECT_TRUE(one.is(status));
    EXPECT_FALSE(one.is(absl::OkStatus()));
    EXPECT_EQ(static_cast<int>(status.code()), one.code);
    EXPECT_EQ(absl::StatusCodeToString(status.code()), one.name);
    EXPECT_EQ(status.ToString(), std::string(one.name) + ": why");
  }
}

struct Row {
  std::string name;
  int length = 0;
};
absl::StatusOr<Row> RowOf(int length) {
  if (length < 0) return absl::OutOfRangeError("too short");
  return Row{"row", length};
}

TEST(AbslStatusOr, IsAccessedLikeAPointer) {
  absl::StatusOr<Row> row = RowOf(3);
  static_assert(std::is_same_v<absl::StatusOr<Row>::value_type, Row>, "");
  EXPECT_EQ(row->length, 3);
  (*row).length = 4;
  row.value().name += "s";
  EXPECT_EQ(row->name + std::to_string(row->length), "rows4");
  EXPECT_TRUE(row.status().ok());
  RowOf(-1).IgnoreError();
}

TEST(AbslStatusOr, ChangesItsState) {
  absl::StatusOr<Row> row;
  EXPECT_EQ(row.status().code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(row.emplace(Row{"a", 1}).length, 1);
  EXPECT_TRUE(row.ok());
  row = absl::NotFoundError("gone");
  EXPECT_FALSE(row.ok());
  row = Row{"b", 2};
  EXPECT_EQ(row->name, "b");
}

TEST(AbslStatusOr, IsMadeOfAStatusThatFails) {
  EXPECT_EQ(absl::StatusOr<int>(absl::AbortedError("stop")).status(), absl::AbortedError("stop"));
  EXPECT_EQ(absl::StatusOr<std::string>(absl::StatusOr<const char*>("text")).value(), "text");
  EXPECT_EQ(absl::StatusOr<std::string>(absl::InternalError("no")).value_or("else"), "else");
  absl::StatusOr<std::unique_ptr<int>> owner(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = *std::move(owner);
  EXPECT_EQ(*taken, 7);
}

}  // namespace

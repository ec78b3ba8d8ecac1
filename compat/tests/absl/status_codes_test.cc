// compat/tests/absl/status_codes_test.cc: every code of absl::Status, and what a StatusOr holds, by the SDK's layer and by
// abseil itself. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace {

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

// compat/tests/tensorflow/status_test.cc: sources write tensorflow::Status and absl::Status next to each other.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/platform/errors.h"

namespace tensorflow {
namespace {

Status Old(int n) {
  if (n < 0) return Status(error::INVALID_ARGUMENT, "n is negative");
  return n > 0 ? Status::OK() : errors::NotFound("n is ", n);
}

absl::Status New(int n) {
  if (n < 0) return Status(absl::StatusCode::kInvalidArgument, "n is negative");
  TF_RETURN_IF_ERROR(Old(n));
  return Status();
}

TEST(Status, OfBothGenerationsAreEqual) {
  EXPECT_TRUE(Old(-1) == New(-1));
  EXPECT_TRUE(New(0) == Old(0));
  EXPECT_TRUE(Old(-1) != absl::OkStatus());
  EXPECT_TRUE(absl::OkStatus() != Old(0));
  EXPECT_TRUE(Old(1) == absl::OkStatus());
}

TEST(Status, ComparesWithCodesOfBothGenerations) {
  EXPECT_TRUE(Old(0).code() == error::NOT_FOUND && Old(0).code() == absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StatusCode::kNotFound == Old(0).code());
  EXPECT_TRUE(Old(0).code() != absl::StatusCode::kInternal && absl::StatusCode::kOk != Old(0).code());
}

TEST(Status, OfOneGenerationIsStoredInTheOther) {
  Status old = New(0);
  EXPECT_EQ(old.error_message(), "n is 0");
  old.Update(New(-1));
  EXPECT_TRUE(errors::IsNotFound(old));
  const absl::StatusOr<int> none = old;
  EXPECT_TRUE(absl::IsNotFound(none.status()));
}

TEST(Status, KeepsItsSubject) {
  const absl::Status stored = Status(error::INTERNAL, "broken").Blame("attr:N");
  EXPECT_EQ(Status(stored).subject(), "attr:N");
}

// Each lambda has one type of return value.
TEST(Status, AFunctionReturnsWhatTheSdkReturns) {
  const auto check = [](ResourceMgr* resources, const Tensor* tensor) {
    TF_RETURN_IF_ERROR(Old(tensor->dims()));
    if (tensor->dims() > 1) return resources->Delete(ResourceHandle());
    TensorShape shape;
    if (tensor->dims() < 0) return TensorShapeUtils::MakeShape(std::vector<int64>(), &shape);
    return absl::OkStatus();
  };
  Tensor row;
  EXPECT_TRUE(check(reinterpret_cast<ResourceMgr*>(&row), &row).ok());  // not asked: the tensor has one dimension
}

TEST(CompatStatus, LambdasReturnWhatMacrosReturn) {
  const auto fails = [](const Status& status) {
    TF_RETURN_WITH_CONTEXT_IF_ERROR(status, "in a lambda");
    TF_RETURN_IF_ERROR(status);
    return Status::OK();
  };
  EXPECT_TRUE(fails(Status()).ok());
  EXPECT_TRUE(errors::IsAborted(fails(errors::Aborted("no"))));
}

}  // namespace
}  // namespace tensorflow

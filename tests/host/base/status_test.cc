// SPDX-License-Identifier: Apache-2.0
#include "host/base/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace opsrun::host {
namespace {

TEST(Status, CarriesCodeSentenceAndSubjectUnlessItIsOk) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().code(), OPSRUN_OK);
  EXPECT_EQ(Status().message(), "");
  const Status status = InvalidArgument("N is 0", "attr:N");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(status.message(), "N is 0");
  EXPECT_EQ(status.subject(), "attr:N");
}

TEST(CodeName, NamesEveryCanonicalCodeAndNumbersTheRest) {
  EXPECT_EQ(CodeName(OPSRUN_OK), "OK");
  EXPECT_EQ(CodeName(OPSRUN_INVALID_ARGUMENT), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeName(OPSRUN_UNAUTHENTICATED), "UNAUTHENTICATED");
  EXPECT_EQ(CodeName(99), "code 99");
  EXPECT_EQ(CodeName(-1), "code -1");
}

TEST(Result, HoldsAValueThatCannotBeCopiedOrWhyThereIsNone) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  ASSERT_TRUE(result.ok());
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
  const Result<int> none = NotFound("no such op");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), OPSRUN_NOT_FOUND);
}

}  // namespace
}  // namespace opsrun::host

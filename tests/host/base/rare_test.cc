// tests/host/base/rare_test.cc: copies have their own value.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/rare.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace opsrun::host {
namespace {

TEST(Rare, IsAValueLikeAnOptional) {
  Rare<std::string> none, one(std::string("a")), copy = one;
  EXPECT_FALSE(none);
  *copy += "b";
  EXPECT_EQ(*one, "a");
  EXPECT_EQ(*copy, "ab");
  one = copy;
  copy.reset();
  EXPECT_EQ(one->size(), 2U);
  EXPECT_FALSE(copy);
  none = std::move(one);
  EXPECT_EQ(*none, "ab");
  none = std::optional<std::string>();
  EXPECT_FALSE(none);
}

}  // namespace
}  // namespace opsrun::host

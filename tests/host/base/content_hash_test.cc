// tests/host/base/content_hash_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/content_hash.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(ContentHash, IsThatOfTheFnvReference) {  // the published test values of FNV-1a with 64 bits
  EXPECT_EQ(HashOf(""), 0xcbf29ce484222325u);
  EXPECT_EQ(HashOf("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(HashOf("foobar"), 0x85944171f73967e8u);
}

TEST(ContentHash, IsThatOfTheWholeHoweverItIsAdded) {
  ContentHash hash;
  hash.Add("foo");
  hash.Add("");
  hash.Add("bar");
  EXPECT_EQ(hash.value(), HashOf("foobar"));
}

}  // namespace
}  // namespace opsrun::host

// compat/tests/tensorflow/one_header_test.cc: names that sources use with op_kernel.h as their only header.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow {
namespace {

TEST(CompatOneHeader, BringsTextsAlong) {
  int64_t number = 0;
  EXPECT_TRUE(strings::safe_strto64("12", &number));
  EXPECT_EQ(str_util::Split("a,b", ',').size(), 2u);
  EXPECT_TRUE(errors::IsNotFound(errors::IOError("file", ENOENT)));
}

TEST(CompatOneHeader, BringsContainersAlong) {
  gtl::FlatMap<std::string, int> map;
  map["a"] = 1;
  gtl::InlinedVector<int, 4> row = {1, 2};
  EXPECT_EQ(map.size() + row.size(), 3u);
  EXPECT_NE(Hash64("a"), Hash64("b"));
  Notification done;
  EXPECT_FALSE(done.HasBeenNotified());
}

}  // namespace
}  // namespace tensorflow

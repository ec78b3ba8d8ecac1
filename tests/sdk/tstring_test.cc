// tests/sdk/tstring_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/tstring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <thread>
#include <unordered_set>
#include <vector>

namespace opsrun_test {
namespace {

using opsrun::tstring;
namespace internal = opsrun::internal;

// "of the", in a slot in the layout of a host, whose bytes are not NUL-terminated.
struct HostText {
  const char* bytes = "of the host";
  const uint64_t slot[2] = {reinterpret_cast<uint64_t>(bytes), 6};
  const tstring& text = reinterpret_cast<const tstring&>(slot);
};

TEST(TString, ReadsAHostsBytesInPlace) {
  const HostText host;
  EXPECT_EQ(host.text, "of the");
  EXPECT_EQ(host.text.data(), host.bytes);
  const tstring copy = host.text;
  EXPECT_NE(copy.data(), host.bytes);
  EXPECT_STREQ(copy.c_str(), "of the");
}

TEST(TString, CopiesAHostsBytesToEndThemWithNul) {
  const HostText host;
  const internal::CCopiesScope outer;
  const char* first = host.text.c_str();
  EXPECT_STREQ(first, "of the");
  const size_t copies = internal::CCopies().size();
  {
    const internal::CCopiesScope inner;
    EXPECT_STREQ(host.text.c_str(), "of the");
    EXPECT_EQ(internal::CCopies().size(), copies + 1);
  }
  EXPECT_EQ(internal::CCopies().size(), copies) << "the inner scope drops its own";
  std::thread([&] {
    const internal::CCopiesScope other;
    EXPECT_STREQ(host.text.c_str(), "of the");
    EXPECT_EQ(internal::CCopies().size(), 1u) << "copies belong to a thread";
  }).join();
  EXPECT_STREQ(first, "of the");
}

TEST(TString, AZeroedSlotIsEmpty) {
  const uint64_t slot[2] = {0, 0};
  const tstring& text = reinterpret_cast<const tstring&>(slot);
  EXPECT_TRUE(text.empty());
  EXPECT_STREQ(text.c_str(), "");
  EXPECT_EQ(tstring(text), tstring());
}

// Memory of malloc is not zero: MALLOC_PERTURB_ ensures that for large blocks.
TEST(TString, ANulFollowsWhateverWasDone) {
  tstring text = HostText().text;
  EXPECT_STREQ(text.c_str(), "of the");
  text.reserve(5000);
  EXPECT_STREQ(text.c_str(), "of the");
  text.append("ir");
  EXPECT_STREQ(text.c_str(), "of their");
  text.resize(2);
  EXPECT_STREQ(text.c_str(), "of");
  tstring empty;
  EXPECT_STREQ(empty.mdata(), "");
  empty.reserve(5000);
  EXPECT_STREQ(empty.c_str(), "");
}

TEST(TString, IsAValueLikeAnyOther) {
  std::vector<tstring> words = {"pear", std::string("apple"), std::string_view("fig"), tstring(2, 'z'), {"a\0b", 3}};
  std::sort(words.begin(), words.end());
  EXPECT_EQ(words[0].size(), 3u);
  EXPECT_EQ(words[1], "apple");
  EXPECT_EQ(words.back(), "zz");
  EXPECT_EQ((std::unordered_set<tstring>{"a", "b", "a"}.size()), 2u);
  const std::string text = words[1];
  std::ostringstream out;
  out << words[1] + words[2];
  EXPECT_EQ(text + "fig", out.str());
  tstring moved = std::move(words[1]);
  words[1] = "new";
  EXPECT_EQ(moved, "apple");
  moved = moved;  // NOLINT: intended
  EXPECT_EQ(moved, "apple");
}

}  // namespace
}  // namespace opsrun_test

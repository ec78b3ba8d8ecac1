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

// A slot in the layout of a host.
const tstring& InPlace(const char* const& bytes, const uint64_t (&slot)[2]) {
  EXPECT_EQ(reinterpret_cast<const char*>(slot[0]), bytes);
  return reinterpret_cast<const tstring&>(slot);
}

TEST(TString, ReadsAHostsBytesInPlace) {
  const char* bytes = "of the host";
  const uint64_t slot[2] = {reinterpret_cast<uint64_t>(bytes), 6};
  const tstring& text = InPlace(bytes, slot);
  EXPECT_EQ(text, "of the");
  EXPECT_EQ(text.data(), bytes);
  const tstring copy = text;
  EXPECT_NE(copy.data(), bytes);
  EXPECT_STREQ(copy.c_str(), "of the");
}

// A host's bytes are not NUL-terminated.
TEST(TString, CopiesAHostsBytesToEndThemWithNul) {
  const char* bytes = "of the host";
  const uint64_t slot[2] = {reinterpret_cast<uint64_t>(bytes), 6};
  const tstring& text = InPlace(bytes, slot);
  const internal::CCopiesScope outer;
  const char* first = text.c_str();
  EXPECT_STREQ(first, "of the");
  const size_t copies = internal::CCopies().size();
  {
    const internal::CCopiesScope inner;
    EXPECT_STREQ(text.c_str(), "of the");
    EXPECT_EQ(internal::CCopies().size(), copies + 1);
  }
  EXPECT_EQ(internal::CCopies().size(), copies) << "the inner scope drops its own";
  EXPECT_STREQ(first, "of the");
}

TEST(TString, ACopyWithNulBelongsToItsThread) {
  const char* bytes = "of the host";
  const uint64_t slot[2] = {reinterpret_cast<uint64_t>(bytes), 6};
  const internal::CCopiesScope scope;
  const char* mine = InPlace(bytes, slot).c_str();
  std::thread([&] {
    const internal::CCopiesScope other;
    EXPECT_STRNE(InPlace(bytes, slot).c_str(), "");
    EXPECT_EQ(internal::CCopies().size(), 1u);
  }).join();
  EXPECT_STREQ(mine, "of the");
}

TEST(TString, AZeroedSlotIsEmpty) {
  const uint64_t slot[2] = {0, 0};
  const tstring& text = reinterpret_cast<const tstring&>(slot);
  EXPECT_TRUE(text.empty());
  EXPECT_STREQ(text.c_str(), "");
  EXPECT_EQ(tstring(text), tstring());
}

TEST(TString, WritesToACopyOfItsOwn) {
  const char* bytes = "abc";
  uint64_t slot[2] = {reinterpret_cast<uint64_t>(bytes), 3};
  {
    tstring text = reinterpret_cast<const tstring&>(slot);
    text[0] = 'X';
    text.back();
    EXPECT_EQ(text, "Xbc");
  }
  EXPECT_STREQ(bytes, "abc");
}

// Memory of malloc is not zero: MALLOC_PERTURB_ ensures that for large blocks.
TEST(TString, ANulFollowsWhateverWasDone) {
  const char* bytes = "of the host";
  const uint64_t slot[2] = {reinterpret_cast<uint64_t>(bytes), 6};
  tstring text = reinterpret_cast<const tstring&>(slot);
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

TEST(TString, ReservingLessThanItHasKeepsItAll) {
  const char* bytes = "of the host";
  const uint64_t slot[2] = {reinterpret_cast<uint64_t>(bytes), 11};
  for (const size_t capacity : {0u, 2u, 10u, 11u, 12u}) {
    tstring text;
    {
      alignas(tstring) uint64_t borrowed[2] = {slot[0], slot[1]};
      auto& in_place = reinterpret_cast<tstring&>(borrowed);
      in_place.reserve(capacity);
      EXPECT_EQ(in_place, "of the host") << capacity;
      text = in_place;
      in_place.~tstring();
    }
    text.reserve(capacity);
    EXPECT_EQ(text, "of the host") << capacity;
  }
}

TEST(TString, GrowsAndShrinks) {
  tstring text = "a";
  for (int i = 0; i < 1000; ++i) text += 'b';
  EXPECT_EQ(text.size(), 1001u);
  EXPECT_EQ(text.c_str()[1001], '\0');
  text.resize(3);
  EXPECT_EQ(text, "abb");
  text.resize(5, '-');
  EXPECT_EQ(text, "abb--");
  text.append(text);
  EXPECT_EQ(text, "abb--abb--");
  text.append(text.data() + 5, 3);
  EXPECT_EQ(text, "abb--abb--abb");
  text.clear();
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text += "again", "again");
  text = text.substr(2);
  EXPECT_EQ(text, "ain");
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

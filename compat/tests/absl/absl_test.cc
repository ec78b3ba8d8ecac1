// compat/tests/absl/absl_test.cc: abseil's names, by the SDK's layer and by abseil itself. Both must give the same
// results.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "every_absl_header.h"

namespace {

TEST(AbslStrings, ConcatenateAnything) {
  EXPECT_EQ(absl::StrCat("a", 1, "-", 2.5, std::string("b"), absl::string_view("c"), 7u, -1LL), "a1-2.5bc7-1");
}

TEST(AbslStrings, AppendAndPad) {
  std::string text = "x";
  absl::StrAppend(&text, "=", absl::Hex(255), " ", absl::Hex(10, absl::kZeroPad4), " ", absl::Dec(7, absl::kSpacePad3));
  EXPECT_EQ(text, "x=ff 000a   7");
  EXPECT_EQ(absl::StrCat(), "");
}

TEST(AbslStrings, Join) {
  EXPECT_EQ(absl::StrJoin(std::vector<int>{1, 2, 3}, ", "), "1, 2, 3");
  EXPECT_EQ(absl::StrJoin({"a", "b"}, "-"), "a-b");
  EXPECT_EQ(absl::StrJoin(std::vector<std::string>(), "-"), "");
  const std::map<std::string, int> ages = {{"ada", 36}, {"bob", 4}};
  EXPECT_EQ(absl::StrJoin(ages, ";", absl::PairFormatter("=")), "ada=36;bob=4");
  EXPECT_EQ(absl::StrJoin(std::vector<int>{1, 2}, "+", [](std::string* out, int i) { absl::StrAppend(out, i * i); }),
            "1+4");
}

TEST(AbslStrings, SplitIntoContainers) {
  const std::vector<std::string> parts = absl::StrSplit("a,b,,c", ',');
  EXPECT_EQ(parts, (std::vector<std::string>{"a", "b", "", "c"}));
  const std::vector<absl::string_view> kept = absl::StrSplit("a, b,,", ',', absl::SkipEmpty());
  EXPECT_EQ(kept.size(), 2u);
  const std::set<std::string> words = absl::StrSplit("x y x", ' ');
  EXPECT_EQ(words.size(), 2u);
  const std::pair<std::string, std::string> pair = absl::StrSplit("key=value=more", absl::MaxSplits('=', 1));
  EXPECT_EQ(pair.second, "value=more");
}

TEST(AbslStrings, SplitAtMore) {
  const std::vector<std::string> any = absl::StrSplit("a b\tc", absl::ByAnyChar(" \t"));
  EXPECT_EQ(any, (std::vector<std::string>{"a", "b", "c"}));
  const std::vector<std::string> text = absl::StrSplit("a::b", "::");
  EXPECT_EQ(text, (std::vector<std::string>{"a", "b"}));
  const std::vector<std::string> blanks = absl::StrSplit(" a , , b", ',', absl::SkipWhitespace());
  EXPECT_EQ(blanks, (std::vector<std::string>{" a ", " b"}));
  const std::vector<std::string> one = absl::StrSplit("", ',');
  EXPECT_EQ(one, std::vector<std::string>{""});
  std::string all;
  for (const absl::string_view part : absl::StrSplit("1.2.3", '.')) absl::StrAppend(&all, part);
  EXPECT_EQ(all, "123");
}

TEST(AbslStrings, Format) {
  EXPECT_EQ(absl::StrFormat("%d items, %5.2f %s|%-4s|%x%%", 3, 2.5, "each", std::string("ab"), 255),
            "3 items,  2.50 each|ab  |ff%");
  EXPECT_EQ(absl::StrFormat("%05d %+d %c %s", 42, 7, 'z', absl::string_view("view")), "00042 +7 z view");
  EXPECT_EQ(absl::StrFormat("%*d|%.*f", 4, 7, 1, 2.25), "   7|2.2");
  EXPECT_EQ(absl::StrFormat("%d", int64_t{1} << 40), "1099511627776");
  EXPECT_EQ(absl::StrFormat("%u %ld", 7u, 8L), "7 8");
}

TEST(AbslStrings, MatchAndStrip) {
  EXPECT_TRUE(absl::StrContains("haystack", "st"));
  EXPECT_TRUE(absl::StartsWith("prefix", "pre"));
  EXPECT_FALSE(absl::EndsWith("fix", "suffix"));
  EXPECT_TRUE(absl::EqualsIgnoreCase("AbC", "aBc"));
  absl::string_view text = "key: value";
  EXPECT_TRUE(absl::ConsumePrefix(&text, "key"));
  EXPECT_EQ(absl::StripPrefix(text, ": "), "value");
  EXPECT_EQ(absl::StripSuffix("a.cc", ".cc"), "a");
  EXPECT_EQ(absl::StripAsciiWhitespace(" \t x y\n"), "x y");
  EXPECT_EQ(absl::AsciiStrToUpper("aB1"), "AB1");
  EXPECT_EQ(absl::AsciiStrToLower("aB1"), "ab1");
}

TEST(AbslStrings, ReadNumbers) {
  int32_t i = 0;
  int64_t wide = 0;
  EXPECT_TRUE(absl::SimpleAtoi(" 42 ", &i));
  EXPECT_EQ(i, 42);
  EXPECT_FALSE(absl::SimpleAtoi("4294967296", &i));
  EXPECT_FALSE(absl::SimpleAtoi("12x", &wide));
  EXPECT_FALSE(absl::SimpleAtoi("", &wide));
  EXPECT_TRUE(absl::SimpleAtoi("-9223372036854775808", &wide));
  double d = 0;
  float f = 0;
  bool b = false;
  EXPECT_TRUE(absl::SimpleAtod("1e3", &d));
  EXPECT_EQ(d, 1000);
  EXPECT_TRUE(absl::SimpleAtof("-0.5", &f));
  EXPECT_FALSE(absl::SimpleAtof("half", &f));
  EXPECT_TRUE(absl::SimpleAtob("Yes", &b));
  EXPECT_TRUE(b);
}

TEST(AbslStrings, ReplaceSubstituteEscape) {
  EXPECT_EQ(absl::StrReplaceAll("a<b>", {{"<", "&lt;"}, {">", "&gt;"}}), "a&lt;b&gt;");
  EXPECT_EQ(absl::Substitute("$1 and $0, $$", "x", 2), "2 and x, $");
  EXPECT_EQ(absl::CEscape("a\n\"\x01"), "a\\n\\\"\\001");
  EXPECT_EQ(absl::BytesToHexString("\x01\xff"), "01ff");
  EXPECT_EQ(absl::HexStringToBytes("4142"), "AB");
  EXPECT_EQ(absl::Base64Escape("hello"), "aGVsbG8=");
}

TEST(AbslContainers, FindTextByAnyText) {
  absl::flat_hash_map<std::string, int> ages = {{"ada", 36}};
  ages["bob"] = 4;
  EXPECT_TRUE(ages.contains(absl::string_view("ada")));
  EXPECT_EQ(ages.find("bob")->second, 4);
  EXPECT_EQ(ages.at("ada"), 36);
  EXPECT_EQ(ages.count("eve"), 0u);
  EXPECT_TRUE(ages.insert({"eve", 1}).second);
  EXPECT_FALSE(ages.try_emplace("eve", 2).second);
  EXPECT_EQ(ages.erase("eve"), 1u);
  EXPECT_EQ(ages.size(), 2u);
}

TEST(AbslContainers, HashPairsAndVectors) {
  absl::flat_hash_set<std::pair<int, std::string>> pairs;
  EXPECT_TRUE(pairs.insert({1, "a"}).second);
  EXPECT_FALSE(pairs.insert({1, "a"}).second);
  absl::node_hash_map<std::vector<int>, int> rows;
  rows[{1, 2}] = 3;
  EXPECT_TRUE(rows.contains(std::vector<int>{1, 2}));
  absl::node_hash_set<int> numbers = {1, 2, 2};
  EXPECT_EQ(numbers.size(), 2u);
}

struct Point {
  int x, y;
  friend bool operator==(const Point& a, const Point& b) { return a.x == b.x && a.y == b.y; }
  template <typename H>
  friend H AbslHashValue(H h, const Point& p) {
    return H::combine(std::move(h), p.x, p.y);
  }
};

TEST(AbslContainers, HashClassesThatSayHow) {
  absl::flat_hash_set<Point> points = {{1, 2}, {1, 2}, {2, 1}};
  EXPECT_EQ(points.size(), 2u);
  EXPECT_EQ(absl::Hash<Point>()(Point{3, 4}), absl::Hash<Point>()(Point{3, 4}));
}

TEST(AbslContainers, InOrder) {
  absl::btree_map<std::string, int> map = {{"b", 2}, {"a", 1}};
  EXPECT_EQ(map.begin()->first, "a");
  EXPECT_TRUE(map.contains("b"));
  absl::btree_set<int> set = {3, 1};
  EXPECT_EQ(*set.begin(), 1);
  absl::InlinedVector<int, 4> values = {1, 2, 3};
  values.push_back(4);
  EXPECT_EQ(values.back() + static_cast<int>(values.size()), 8);
  absl::FixedArray<int> fixed(3);
  fixed.fill(7);
  EXPECT_EQ(fixed.size(), 3u);
}

int Sum(absl::Span<const int> values) {
  int sum = 0;
  for (const int value : values) sum += value;
  return sum;
}

TEST(AbslSpan, TakesWhatHasElements) {
  std::vector<int> vector = {1, 2, 3};
  const int array[] = {4, 5};
  EXPECT_EQ(Sum(vector), 6);
  EXPECT_EQ(Sum(array), 9);
  EXPECT_EQ(Sum({1, 1}), 2);
  EXPECT_EQ(Sum(absl::MakeConstSpan(vector).subspan(1)), 5);
  EXPECT_EQ(Sum(absl::InlinedVector<int, 2>{7}), 7);
  absl::Span<int> writable = absl::MakeSpan(vector);
  writable[0] = 10;
  writable.remove_suffix(1);
  EXPECT_EQ(Sum(writable.first(1)), 10);
  EXPECT_TRUE(absl::Span<const int>(vector) == absl::MakeConstSpan(vector));
}

TEST(AbslTypes, AreThoseOfTheStandard) {
  absl::optional<int> none = absl::nullopt;
  EXPECT_EQ(none.value_or(3), 3);
  absl::variant<int, std::string> either = "text";
  EXPECT_EQ(absl::get<std::string>(either), "text");
  EXPECT_TRUE(absl::holds_alternative<std::string>(either));
  EXPECT_EQ(absl::any_cast<int>(absl::any(5)), 5);
  EXPECT_EQ(*absl::make_unique<int>(4), 4);
  EXPECT_EQ(*absl::WrapUnique(new int(6)), 6);
}

TEST(AbslNumeric, CountsBits) {
  EXPECT_EQ(absl::bit_width(uint32_t{255}), 8);
  EXPECT_EQ(absl::countl_zero(uint32_t{1}), 31);
  EXPECT_EQ(absl::countl_zero(uint8_t{1}), 7);
  EXPECT_EQ(absl::countr_zero(uint64_t{8}), 3);
  EXPECT_EQ(absl::popcount(uint32_t{7}), 3);
  EXPECT_EQ(absl::bit_ceil(uint32_t{5}), 8u);
  EXPECT_EQ(absl::bit_floor(uint32_t{5}), 4u);
  EXPECT_EQ(absl::rotl(uint8_t{0x81}, 1), 3);
  EXPECT_EQ(absl::Uint128High64(absl::MakeUint128(3, 4)), 3u);
  EXPECT_EQ(absl::bit_cast<uint32_t>(1.0F), 0x3f800000u);
}

TEST(AbslFunctions, CallWhatTheyGet) {
  int calls = 0;
  const auto add = [&calls](int n) { calls += n; };
  const absl::FunctionRef<void(int)> reference = add;
  reference(3);
  absl::bind_front(add, 4)();
  {
    const auto at_end = absl::MakeCleanup([&calls] { calls = -calls; });
  }
  EXPECT_EQ(calls, -7);
  absl::once_flag once;
  for (int i = 0; i < 2; ++i) absl::call_once(once, [&calls] { ++calls; });
  EXPECT_EQ(calls, -6);
}

TEST(AbslAlgorithms, TakeContainers) {
  std::vector<int> values = {3, 1, 2};
  absl::c_sort(values);
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(absl::c_accumulate(values, 0), 6);
  EXPECT_TRUE(absl::c_any_of(values, [](int v) { return v == 2; }));
  EXPECT_EQ(*absl::c_max_element(values), 3);
  EXPECT_EQ(absl::c_find(values, 9), values.end());
  EXPECT_EQ(ABSL_ARRAYSIZE("abc"), 4u);
}

}  // namespace

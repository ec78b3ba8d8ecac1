// compat/tests/absl/containers_test.cc: containers, hashes, function objects, algorithms and durations.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "every_absl_header.h"

namespace {

typedef std::vector<int> Numbers;

template <typename Map>
int UseMap() {
  Map map;
  map["one"] = 1;
  map.emplace("two", 2);
  map.insert_or_assign("two", 22);
  const Map& same = map;
  EXPECT_EQ(same.at("two"), 22);
  EXPECT_TRUE(same.contains("one"));
  EXPECT_EQ(same.find(absl::string_view("none")), same.end());
  EXPECT_EQ(same.count("none"), 0u);
  map.erase(map.find("one"));
  map.erase("none");
  int sum = 0;
  for (const auto& [key, value] : map) sum += value;
  return sum;
}
template <typename Set>
size_t UseSet() {
  Set set = {"a", "b"};
  EXPECT_TRUE(set.contains("a"));
  EXPECT_EQ(set.count(absl::string_view("b")), 1u);
  EXPECT_FALSE(set.emplace("b").second);
  EXPECT_EQ(set.erase("a"), 1u);
  return set.size();
}

struct ComparesPointers {
  using is_transparent = void;
  static const int* Of(const int* pointer) { return pointer; }
  static const int* Of(const std::unique_ptr<int>& owner) { return owner.get(); }
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return Of(a) < Of(b);
  }
};

TEST(AbslHashContainers, ChangeAndFind) {
  EXPECT_EQ((UseMap<absl::flat_hash_map<std::string, int>>()), 22);
  EXPECT_EQ((UseMap<absl::node_hash_map<std::string, int>>()), 22);
  EXPECT_EQ((UseSet<absl::flat_hash_set<std::string>>()), 1u);
  EXPECT_EQ((UseSet<absl::node_hash_set<std::string>>()), 1u);
}

TEST(AbslBtree, HoldsEqualKeys) {
  absl::btree_multiset<int> set = {2, 1, 2};
  EXPECT_EQ(set.count(2), 2u);
  absl::btree_multimap<std::string, int> map = {{"b", 1}, {"a", 2}, {"b", 3}};
  EXPECT_EQ(map.count("b"), 2u);
  EXPECT_EQ(map.begin()->second, 2);
  EXPECT_EQ((UseMap<absl::btree_map<std::string, int>>()), 22);
  EXPECT_EQ((UseSet<absl::btree_set<std::string>>()), 1u);
  absl::btree_set<std::unique_ptr<int>, ComparesPointers> owners;
  int* const owned = owners.insert(std::make_unique<int>(7)).first->get();
  EXPECT_TRUE(owners.contains(owned));
}

bool AllOf(absl::Span<const bool> values) {
  for (const bool value : values) {
    if (!value) return false;
  }
  return true;
}

TEST(Containers, InlinedVectorsOfBoolsAreBools) {
  absl::InlinedVector<bool, 4> values(3, true);
  EXPECT_TRUE(AllOf(values));
  values[1] = false;
  EXPECT_FALSE(AllOf(values));
  EXPECT_TRUE(values.data()[0]);
  EXPECT_FALSE(values.data()[1]);
  values.push_back(true);
  EXPECT_EQ(values.size(), 4u);
}

TEST(AbslContainers, AreVectors) {
  absl::InlinedVector<std::string, 2> texts(3, "x");
  texts.emplace_back("y");
  texts.erase(texts.begin());
  EXPECT_EQ(texts, (absl::InlinedVector<std::string, 2>{"x", "x", "y"}));
  absl::FixedArray<int> fixed({1, 2, 3});
  EXPECT_EQ(std::accumulate(fixed.begin(), fixed.end(), 0), 6);
  EXPECT_EQ(absl::FixedArray<int>(2, 5)[1], 5);
  fixed.fill(7);
  EXPECT_EQ(fixed[2], 7);
}

struct Words {
  std::vector<std::string> words;
  template <typename H>
  friend H AbslHashValue(H h, const Words& w) {
    return H::combine(H::combine_contiguous(std::move(h), w.words.data(), w.words.size()), 1);
  }
};

TEST(AbslHash, DependsOnAllParts) {
  const absl::string_view text = "a";
  EXPECT_EQ(absl::HashOf(1, text), absl::HashOf(1, text));
  EXPECT_NE(absl::HashOf(1, 2), absl::HashOf(2, 1));
  EXPECT_NE(absl::HashOf(Words{{"a", "b"}}), absl::HashOf(Words{{"ab"}}));
  EXPECT_EQ(absl::Hash<std::string>()("abc"), absl::Hash<absl::string_view>()("abc"));
  EXPECT_NE(absl::HashOf(std::make_pair(1, 2)), absl::HashOf(std::make_pair(2, 1)));
  absl::flat_hash_set<std::pair<int, std::string>> pairs = {{1, "a"}};
  EXPECT_FALSE(pairs.insert({1, "a"}).second);
  absl::node_hash_map<std::vector<int>, int> rows = {{{1, 2}, 3}};
  EXPECT_TRUE(rows.contains(std::vector<int>{1, 2}));
}

TEST(AbslCleanup, IsCalledOnce) {
  int calls = 0;
  {
    auto late = absl::MakeCleanup([&calls] { calls += 1; });
    auto early = absl::MakeCleanup([&calls] { calls += 10; });
    std::move(early).Invoke();
    EXPECT_EQ(calls, 10);
    absl::Cleanup never = [&calls] { calls += 100; };
    std::move(never).Cancel();
  }
  EXPECT_EQ(calls, 11);
}

TEST(AbslAnyInvocable, IsMoved) {
  absl::AnyInvocable<int(int)> add = [n = std::make_unique<int>(3)](int m) { return *n + m; };
  absl::AnyInvocable<int(int)> moved = std::move(add);
  EXPECT_EQ(moved(4), 7);
  EXPECT_FALSE(static_cast<bool>(absl::AnyInvocable<void()>()));
  absl::AnyInvocable<int()&&> once = [] { return 5; };
  EXPECT_EQ(std::move(once)(), 5);
  const absl::AnyInvocable<int() const> often = [] { return 6; };
  EXPECT_EQ(often(), 6);
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

TEST(AbslAlgorithms, Search) {
  const Numbers sorted = {1, 2, 2, 3};
  const auto is_even = [](int n) { return n % 2 == 0; };
  EXPECT_EQ(absl::c_adjacent_find(sorted), sorted.begin() + 1);
  EXPECT_FALSE(absl::c_all_of(sorted, is_even));
  EXPECT_FALSE(absl::c_none_of(sorted, is_even));
  EXPECT_TRUE(absl::c_binary_search(sorted, 3));
  EXPECT_EQ(absl::c_count(sorted, 2) + absl::c_count_if(sorted, is_even), 4);
  EXPECT_EQ(absl::c_find_if(sorted, is_even), sorted.begin() + 1);
  EXPECT_EQ(absl::c_find_if_not(sorted, is_even), sorted.begin());
  EXPECT_TRUE(absl::c_is_sorted(sorted));
  EXPECT_EQ(absl::c_lower_bound(sorted, 2), sorted.begin() + 1);
  EXPECT_EQ(absl::c_upper_bound(sorted, 2), sorted.begin() + 3);
  EXPECT_EQ(*absl::c_min_element(sorted), 1);
  EXPECT_TRUE(absl::c_equal(sorted, std::list<int>{1, 2, 2, 3}));
  EXPECT_EQ(absl::c_inner_product(sorted, sorted, 0), 18);
  EXPECT_TRUE(absl::c_any_of(sorted, is_even));
  EXPECT_EQ(*absl::c_max_element(sorted), 3);
  EXPECT_EQ(absl::c_find(sorted, 9), sorted.end());
}

TEST(AbslAlgorithms, Change) {
  Numbers values(3);
  absl::c_iota(values, 1);
  Numbers out(3), even;
  absl::c_copy(values, out.begin());
  absl::c_copy_if(values, std::back_inserter(even), [](int n) { return n % 2 == 0; });
  EXPECT_EQ(even, Numbers{2});
  absl::c_reverse(out);
  EXPECT_EQ(out, (Numbers{3, 2, 1}));
  absl::c_partial_sum(values, out.begin());
  EXPECT_EQ(out, (Numbers{1, 3, 6}));
  absl::c_transform(values, out.begin(), [](int n) { return -n; });
  EXPECT_EQ(out, (Numbers{-1, -2, -3}));
  absl::c_stable_sort(out);
  EXPECT_EQ(out.front(), -3);
  absl::c_sort(out, std::greater<int>());
  EXPECT_EQ(out.front(), -1);
  absl::c_fill(out, 7);
  EXPECT_EQ(out, (Numbers{7, 7, 7}));
  int sum = 0;
  absl::c_for_each(values, [&sum](int n) { sum += n; });
  absl::c_generate(values, [&sum] { return sum++; });
  EXPECT_EQ(values, (Numbers{6, 7, 8}));
  std::mt19937 generator;
  absl::c_shuffle(values, generator);
  EXPECT_EQ(absl::c_accumulate(values, 0), 21);
}

TEST(AbslNumeric, RotatesBits) {
  EXPECT_TRUE(absl::has_single_bit(uint32_t{64}));
  EXPECT_FALSE(absl::has_single_bit(uint32_t{0}));
  EXPECT_EQ(absl::rotr(uint8_t{0x03}, 1), 0x81);
  EXPECT_EQ(absl::rotr(uint32_t{1}, 33), 0x80000000u);
  EXPECT_EQ(absl::rotl(uint16_t{1}, 0), 1);
  EXPECT_EQ(absl::bit_ceil(uint8_t{0}), 1);
  EXPECT_EQ(absl::bit_floor(uint8_t{0}), 0);
  EXPECT_EQ(absl::countr_zero(uint16_t{0}), 16);
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

TEST(AbslNumeric, Has128Bits) {
  const absl::uint128 wide = absl::MakeUint128(1, 2) + 1;
  EXPECT_EQ(absl::Uint128Low64(wide), 3u);
  EXPECT_EQ(absl::Uint128High64(wide << 1), 2u);
  const absl::int128 product = static_cast<absl::int128>(-3) * 5;
  EXPECT_EQ(static_cast<int64_t>(product), -15);
}

TEST(AbslRandom, DrawsFromARange) {
  absl::BitGen generator;
  absl::InsecureBitGen other;
  std::vector<int> seen(3);
  for (int i = 0; i < 300; ++i) {
    ++seen[static_cast<size_t>(absl::Uniform(generator, 0, 3))];
    const double real = absl::Uniform(other, 0.0, 1.0);
    EXPECT_TRUE(real >= 0 && real < 1);
  }
  for (const int count : seen) EXPECT_GT(count, 50);
  EXPECT_EQ(absl::Uniform(absl::IntervalClosed, generator, 4, 4), 4);
  EXPECT_EQ(absl::Uniform(absl::IntervalClosedOpen, generator, 4, 5), 4);
  EXPECT_EQ(absl::Uniform<int64_t>(generator, 7, 8), 7);
}

TEST(AbslRandom, DrawsFromDistributions) {
  absl::BitGen generator;
  EXPECT_TRUE(absl::Bernoulli(generator, 1.0));
  EXPECT_FALSE(absl::Bernoulli(generator, 0.0));
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += absl::Gaussian<double>(generator, 5, 0.5);
  EXPECT_NEAR(sum / 1000, 5, 0.2);
}

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(AbslDuration, IsCountedInUnits) {
  const absl::Duration d = absl::Hours(1) + absl::Minutes(30);
  EXPECT_EQ(absl::ToInt64Nanoseconds(d), 5400000000000);
  EXPECT_EQ(absl::ToInt64Microseconds(d), 5400000000);
  EXPECT_EQ(absl::ToInt64Milliseconds(d), 5400000);
  EXPECT_EQ(absl::ToInt64Seconds(d), 5400);
  EXPECT_EQ(absl::ToInt64Minutes(d), 90);
  EXPECT_EQ(absl::ToInt64Hours(d), 1);
  EXPECT_EQ(absl::ToInt64Seconds(-absl::Milliseconds(1500)), -1);
  EXPECT_EQ(absl::ToDoubleNanoseconds(absl::Microseconds(2)), 2000);
  EXPECT_EQ(absl::ToDoubleMicroseconds(absl::Nanoseconds(500)), 0.5);
  EXPECT_EQ(absl::ToDoubleMilliseconds(d), 5.4e6);
  EXPECT_EQ(absl::ToDoubleSeconds(d), 5400);
  EXPECT_EQ(absl::ToDoubleMinutes(d), 90);
  EXPECT_EQ(absl::ToDoubleHours(d), 1.5);
}

TEST(AbslDuration, Computes) {
  absl::Duration d = absl::Seconds(7);
  d += absl::Seconds(3);
  d -= absl::Seconds(1);
  d *= 2;
  d /= 4;
  EXPECT_EQ(d, absl::Seconds(4.5));
  d %= absl::Seconds(2);
  EXPECT_EQ(d, absl::Milliseconds(500));
  EXPECT_EQ(-absl::Seconds(7) % absl::Seconds(2), -absl::Seconds(1));
  EXPECT_EQ(1.5 * absl::Seconds(2) / 3, absl::Seconds(1));
  EXPECT_GT(absl::Seconds(2), absl::Seconds(1));
  EXPECT_GE(absl::Seconds(2), absl::Seconds(2));
  EXPECT_LE(absl::Seconds(1), absl::Seconds(1));
  EXPECT_NE(absl::Seconds(1), absl::Seconds(2));
  EXPECT_EQ(absl::Hours(1) / absl::Minutes(1), 60);
}

TEST(AbslDuration, HasNoEnd) {
  const absl::Duration forever = absl::InfiniteDuration();
  EXPECT_EQ(forever + absl::Hours(1), forever);
  EXPECT_EQ(forever - absl::Hours(1), forever);
  EXPECT_EQ(-forever + absl::Hours(1), -forever);
  EXPECT_EQ(forever * -2, -forever);
  EXPECT_EQ(forever / 2, forever);
  EXPECT_EQ(absl::Seconds(1e300), forever);
  EXPECT_EQ(absl::Hours(kMost), forever);
  EXPECT_EQ(absl::Seconds(1) / 0, forever);
  EXPECT_GT(forever, absl::Hours(1000000));
  EXPECT_LT(-forever, absl::ZeroDuration());
  EXPECT_EQ(absl::ToInt64Seconds(forever), kMost);
  EXPECT_EQ(absl::ToDoubleSeconds(-forever), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(forever / absl::Seconds(1), kMost);
  EXPECT_EQ(absl::Seconds(1) / forever, 0);
  EXPECT_EQ(absl::AbsDuration(-forever), forever);
}

TEST(AbslDuration, WritesItself) {
  EXPECT_EQ(absl::FormatDuration(absl::Seconds(3723.5)), "1h2m3.5s");
  EXPECT_EQ(absl::FormatDuration(absl::Hours(72) + absl::Seconds(1)), "72h1s");
  EXPECT_EQ(absl::FormatDuration(-absl::Minutes(2)), "-2m");
  EXPECT_EQ(absl::FormatDuration(absl::Seconds(59) + absl::Nanoseconds(1)), "59.000000001s");
  EXPECT_EQ(absl::FormatDuration(absl::Microseconds(1500)), "1.5ms");
  EXPECT_EQ(absl::FormatDuration(absl::Nanoseconds(-1050)), "-1.05us");
  EXPECT_EQ(absl::FormatDuration(absl::Nanoseconds(999)), "999ns");
  EXPECT_EQ(absl::FormatDuration(absl::InfiniteDuration()), "inf");
  EXPECT_EQ(absl::FormatDuration(-absl::InfiniteDuration()), "-inf");
  EXPECT_EQ(absl::FormatDuration(absl::ZeroDuration()), "0");
}

TEST(AbslDuration, ConvertsToThatOfTheStandard) {
  EXPECT_EQ(absl::ToChronoNanoseconds(absl::Microseconds(3)), std::chrono::nanoseconds(3000));
  EXPECT_EQ(absl::FromChrono(std::chrono::milliseconds(2)), absl::Milliseconds(2));
  EXPECT_EQ(absl::FromChrono(std::chrono::hours(2)), absl::Hours(2));
}

}  // namespace

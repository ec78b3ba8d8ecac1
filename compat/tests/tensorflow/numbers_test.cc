// compat/tests/tensorflow/numbers_test.cc: bits, encodings of numbers, and numbers in text, under TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

namespace tensorflow {
namespace {

TEST(CompatBits, TakesLogarithms) {
  EXPECT_EQ(Log2Floor(0), -1);
  EXPECT_EQ(Log2Floor(1), 0);
  EXPECT_EQ(Log2Floor(0xffffffff), 31);
  EXPECT_EQ(Log2Floor64(uint64{1} << 40), 40);
  EXPECT_EQ(Log2Ceiling(1), 0);
  EXPECT_EQ(Log2Ceiling(9), 4);
  EXPECT_EQ(Log2Ceiling64((uint64{1} << 40) + 1), 41);
  EXPECT_EQ(NextPowerOfTwo64((uint64{1} << 40) + 1), uint64{1} << 41);
  EXPECT_EQ(NextPowerOfTwo(1), 1u);
  EXPECT_EQ(NextPowerOfTwo(5), 8u);
}

TEST(CompatMath, RoundsRatios) {
  EXPECT_EQ(MathUtil::CeilOfRatio<int>(-7, 2), -3);
  EXPECT_EQ(MathUtil::CeilOfRatio<int>(7, -2), -3);
  EXPECT_EQ(MathUtil::CeilOfRatio<int>(-7, -2), 4);
  EXPECT_EQ(MathUtil::CeilOfRatio<uint32>(6, 3), 2u);
  EXPECT_EQ(MathUtil::FloorOfRatio<int>(7, -2), -4);
  EXPECT_EQ(MathUtil::FloorOfRatio<int>(-7, -2), 3);
  EXPECT_EQ(MathUtil::FloorOfRatio<int64_t>(0, 5), 0);
}

TEST(CompatMath, FindsDivisorsAndPowers) {
  EXPECT_EQ(MathUtil::GCD<uint32>(12, 18), 6u);
  EXPECT_EQ(MathUtil::GCD<uint32>(0, 7), 7u);
  EXPECT_EQ(MathUtil::IPow(3, 4), 81);
  EXPECT_EQ(MathUtil::IPow(0.5, 2), 0.25);
  EXPECT_EQ(MathUtil::IPow(5, 0), 1);
}

TEST(CompatOverflow, SaysThatItIsOne) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_LT(AddWithoutOverflow(most, 1), 0);
  EXPECT_EQ(AddWithoutOverflow(3, 4), 7);
  EXPECT_LT(MultiplyWithoutOverflow(most / 2, 3), 0);
  EXPECT_EQ(MultiplyWithoutOverflow(3, 4), 12);
  EXPECT_LT(MultiplyWithoutOverflow(-2, -3), 0);
  EXPECT_LT(AddWithoutOverflow(-2, 5), 0);
  EXPECT_EQ(MultiplyWithoutOverflow(int64_t{1} << 40, int64_t{1} << 40), -1);
}

TEST(CompatCoding, HasTheLowestByteFirst) {
  char bytes[8];
  core::EncodeFixed16(bytes, 0x0102);
  EXPECT_EQ(bytes[0], 2);
  EXPECT_EQ(core::DecodeFixed16(bytes), 0x0102);
  core::EncodeFixed32(bytes, 0x01020304);
  EXPECT_EQ(bytes[0], 4);
  EXPECT_EQ(core::DecodeFixed32(bytes), 0x01020304u);
  core::EncodeFixed64(bytes, 0x0102030405060708);
  EXPECT_EQ(bytes[0], 8);
  EXPECT_EQ(core::DecodeFixed64(bytes), 0x0102030405060708u);
  std::string text;
  core::PutFixed64(&text, 1);
  EXPECT_EQ(text, std::string("\1\0\0\0\0\0\0\0", 8));
  core::PutFixed32(&text, 0x01020304);
  EXPECT_EQ(core::DecodeFixed32(&text[8]), 0x01020304u);
}

TEST(CompatCoding, HasShortNumbers) {
  std::string text;
  core::PutVarint32(&text, 300);
  core::PutVarint64(&text, uint64{1} << 40);
  EXPECT_EQ(text.size(), static_cast<size_t>(core::VarintLength(300) + core::VarintLength(uint64{1} << 40)));
  EXPECT_EQ(core::VarintLength(127), 1);
  StringPiece rest = text;
  uint32 number = 0;
  EXPECT_TRUE(core::GetVarint32(&rest, &number));
  EXPECT_EQ(number, 300u);
  StringPiece large = rest;
  EXPECT_FALSE(core::GetVarint32(&large, &number));  // too large
  uint64 wide = 0;
  EXPECT_TRUE(core::GetVarint64(&rest, &wide));
  EXPECT_EQ(wide, uint64{1} << 40);
  EXPECT_FALSE(core::GetVarint64(&rest, &wide));
}

// What a function reads from a text; nothing if it refuses the text.
template <typename T>
std::optional<T> Read(bool (*read)(StringPiece, T*), StringPiece text) {
  T value{};
  return read(text, &value) ? std::optional<T>(value) : std::nullopt;
}

TEST(CompatNumbers, AreReadWhole) {
  EXPECT_EQ(Read<uint32>(strings::safe_strtou32, "4294967295"), 0xffffffffu);
  EXPECT_EQ(Read<uint32>(strings::safe_strtou32, "-1"), std::nullopt);
  EXPECT_EQ(Read<uint64_t>(strings::safe_strtou64, "18446744073709551615"), 18446744073709551615u);
  EXPECT_EQ(Read<double>(strings::safe_strtod, " 2.5 "), 2.5);
  EXPECT_EQ(Read<float>(strings::safe_strtof, "1.5x"), std::nullopt);
  EXPECT_EQ(Read<int32>(strings::safe_strto32, " -12 "), -12);
  for (const char* bad : {"99999999999", "+12"})
    EXPECT_EQ(Read<int32>(strings::safe_strto32, bad), std::nullopt) << bad;
  EXPECT_EQ(Read<int64_t>(strings::safe_strto64, "99999999999"), 99999999999);
  EXPECT_EQ(Read<uint64_t>(strings::HexStringToUint64, "ff"), 255u);
  for (const char* bad : {"fg", " ff"}) EXPECT_EQ(Read<uint64_t>(strings::HexStringToUint64, bad), std::nullopt) << bad;
}

TEST(CompatNumbers, AreReadByType) {
  EXPECT_EQ(Read<float>(strings::SafeStringToNumeric, "1.5"), 1.5F);
  EXPECT_EQ(Read<double>(strings::SafeStringToNumeric, "-1.5"), -1.5);
  EXPECT_EQ(Read<int32>(strings::SafeStringToNumeric, "-15"), -15);
  for (const char* bad : {"+-15", "1.5"})
    EXPECT_EQ(Read<int32>(strings::SafeStringToNumeric, bad), std::nullopt) << bad;
}

TEST(CompatNumbers, AreWrittenForPeople) {
  EXPECT_EQ(strings::HumanReadableNum(999), "999");
  EXPECT_EQ(strings::HumanReadableNum(-1500000), "-1.50M");
  EXPECT_EQ(strings::HumanReadableNum(1234567890123), "1.23T");
  EXPECT_EQ(strings::HumanReadableNum(1000000000), "1.00B");
  EXPECT_EQ(strings::HumanReadableNum(1500000000000000000), "1.5E+18");
  EXPECT_EQ(strings::HumanReadableNumBytes(-12), "-12B");
  EXPECT_EQ(strings::HumanReadableNumBytes(123456), "120.6KiB");
  EXPECT_EQ(strings::HumanReadableNumBytes(int64_t{3} << 30), "3.00GiB");
  EXPECT_EQ(strings::HumanReadableNumBytes(std::numeric_limits<int64_t>::min()), "-8.00EiB");
  EXPECT_EQ(strings::HumanReadableNum(1500), "1.50k");
}

std::string Formatted(const char* format, ...) {
  std::string text = "<";
  va_list arguments;
  va_start(arguments, format);
  strings::Appendv(&text, format, arguments);
  va_end(arguments);
  return text;
}

TEST(CompatPrintf, Appends) {
  std::string text = "a";
  strings::Appendf(&text, "-%d-%s", 1, "b");
  EXPECT_EQ(text, "a-1-b");
  EXPECT_EQ(Formatted("%03d", 7), "<007");
}

TEST(CompatHash, Combines) {
  EXPECT_EQ(Hash64CombineUnordered(1, 2), Hash64CombineUnordered(2, 1));
  EXPECT_NE(Hash64Combine(1, 2), Hash64Combine(2, 1));
  EXPECT_EQ(StringPieceHasher()("cherry"), size_t{0xaa461bf4e264452a});
  EXPECT_EQ(hash<std::string>()("cherry"), size_t{0xaa461bf4e264452a});
  EXPECT_EQ(hash<int>()(7), std::hash<int>()(7));
}

}  // namespace

namespace random {
namespace {

struct Simple {
  PhiloxRandom generator{7, 11};
  SimplePhilox numbers{&generator};
};

TEST(CompatSimplePhilox, DrawsOneByOne) {
  Simple s;
  EXPECT_EQ(s.numbers.RandDouble(), 0.18549088593476926);
  EXPECT_EQ(s.numbers.RandFloat(), 0.569126487F);
  EXPECT_EQ(s.numbers.Rand64(), 18391469527403251709u);
  EXPECT_EQ(s.numbers.Rand32(), 1050900142u);
}

TEST(CompatSimplePhilox, DrawsBelowALimit) {
  Simple s;
  s.generator.Skip(1);
  s.numbers.Rand64();
  std::vector<uint64> drawn;
  for (const uint32 n : {1u, 8u, 10u, 3000000000u, 3000000000u, 3000000000u, 0u, 7u})
    drawn.push_back(s.numbers.Uniform(n));
  EXPECT_EQ(drawn, (std::vector<uint64>{0, 2, 0, 2737631662, 279695332, 2852123261, 0, 1}));
  drawn.clear();
  for (const uint64 n : {uint64{1}, uint64{8}, uint64{10}, uint64{13000000000000000000u}, uint64{7}})
    drawn.push_back(s.numbers.Uniform64(n));
  EXPECT_EQ(drawn, (std::vector<uint64>{0, 6, 8, 5225962807088206404, 0}));
  int ones = 0;
  for (int i = 0; i < 3000; ++i) ones += s.numbers.OneIn(3);
  EXPECT_NEAR(ones, 1000, 100);
}

TEST(CompatSimplePhilox, PrefersSmallNumbers) {
  Simple s;
  int small = 0;
  for (int i = 0; i < 1100; ++i) {
    const uint32 n = s.numbers.Skewed(10);
    EXPECT_LT(n, 1024u);
    small += n == 0;  // 1, 1/2, ... 1/1024 for the eleven numbers of bits: 18 %
  }
  EXPECT_NEAR(small, 200, 50);
}

TEST(CompatExactUniformInt, DrawsAgainWhatWouldBeUnfair) {
  // 6 of 256 numbers must be drawn again, because 256 is not a multiple of 10.
  int calls = 0;
  const auto bits = [&calls] { return static_cast<uint8>(calls++); };
  EXPECT_EQ(ExactUniformInt<uint8>(10, bits), 6);
  EXPECT_EQ(calls, 7);
}

TEST(CompatDistributionSampler, DrawsByWeight) {
  Simple s;
  const DistributionSampler sampler({1, 2, 3, 0.5f, 0, 7});
  EXPECT_EQ(sampler.num(), 6);
  std::vector<int> drawn;
  for (int i = 0; i < 20; ++i) drawn.push_back(sampler.Sample(&s.numbers));
  EXPECT_EQ(drawn, (std::vector<int>{2, 5, 5, 2, 5, 2, 5, 1, 1, 5, 0, 0, 2, 1, 2, 5, 1, 1, 2, 5}));
}

TEST(CompatDistributionSampler, BuildsTensorflowsTable) {
  Simple s;
  std::vector<float> weights;
  for (int i = 0; i < 50; ++i) weights.push_back(static_cast<float>(i * 37 % 11) + 0.25F * static_cast<float>(i % 3));
  const DistributionSampler sampler(weights);
  uint32 hash = 0;
  for (int i = 0; i < 100000; ++i) hash = hash * 31 + static_cast<uint32>(sampler.Sample(&s.numbers));
  EXPECT_EQ(hash, 587647639u);
}

TEST(CompatDistributionSampler, NeedsAWeight) {
  EXPECT_THROW(DistributionSampler({}), tensorflow::internal::Failure);
  EXPECT_THROW(DistributionSampler({0, 0}), tensorflow::internal::Failure);
}

std::vector<int> PickAll(const WeightedPicker& picker) {
  std::vector<int> picked;
  for (int32 i = 0; i < picker.total_weight(); ++i) picked.push_back(picker.PickAt(i));
  return picked;
}

TEST(CompatWeightedPicker, FindsTheElementAtAWeight) {
  WeightedPicker picker(3);
  EXPECT_EQ(PickAll(picker), (std::vector<int>{0, 1, 2}));
  const int32 weights[] = {3, 0, 5, 1};
  picker.SetWeightsFromArray(4, weights);
  EXPECT_EQ(PickAll(picker), (std::vector<int>{0, 0, 0, 2, 2, 2, 2, 2, 3}));
  EXPECT_EQ(picker.PickAt(-1), -1);
  EXPECT_EQ(picker.PickAt(9), -1);
}

TEST(CompatWeightedPicker, ChangesAndGrows) {
  WeightedPicker picker(4);
  picker.set_weight(1, 4);
  picker.Append(2);
  picker.Resize(7);
  EXPECT_EQ(picker.num_elements(), 7);
  EXPECT_EQ(picker.get_weight(1), 4);
  EXPECT_EQ(picker.get_weight(6), 0);
  EXPECT_EQ(PickAll(picker), (std::vector<int>{0, 1, 1, 1, 1, 2, 3, 4, 4}));
  picker.Resize(2);
  EXPECT_EQ(picker.total_weight(), 5);
  picker.SetAllWeights(2);
  EXPECT_EQ(PickAll(picker), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_THROW(picker.set_weight(2, 1), tensorflow::internal::Failure);
}

TEST(CompatWeightedPicker, PicksByWeight) {
  Simple s;
  WeightedPicker picker(5);
  std::vector<int> picked;
  for (int i = 0; i < 8; ++i) picked.push_back(picker.Pick(&s.numbers));
  EXPECT_EQ(picked, (std::vector<int>{3, 4, 2, 2, 2, 2, 3, 3}));
  picker.SetAllWeights(0);
  EXPECT_EQ(picker.Pick(&s.numbers), -1);
}

TEST(CompatRandom, MakesSeeds) {
  EXPECT_NE(New64(), New64());
  EXPECT_EQ(New64DefaultSeed(), 14514284786278117030u);
  EXPECT_EQ(New64DefaultSeed(), 4620546740167642908u);
}

TEST(CompatGuardedPhiloxRandom, ReservesNumbersThatDoNotOverlap) {
  GuardedPhiloxRandom guarded;
  guarded.Init(7, 11);
  EXPECT_EQ(guarded.ReserveSamples128(3).counter()[0], 0u);
  EXPECT_EQ(guarded.ReserveSamples32(5).counter()[0], 3u);
  EXPECT_EQ(guarded.ReserveRandomOutputs(10, 256).counter()[0], 5u);
  PhiloxRandom rest = guarded.ReserveSamples32(4);
  EXPECT_EQ(rest.counter()[0], 2565u);
  EXPECT_EQ(rest.counter()[2], 11u);
  EXPECT_EQ(rest.key()[0], 7u);
}

TEST(CompatGuardedPhiloxRandom, IsForManyThreads) {
  GuardedPhiloxRandom guarded;
  guarded.Init({}, PhiloxRandom::Key());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&guarded] {
      for (int i = 0; i < 100; ++i) guarded.ReserveSamples128(2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(guarded.ReserveSamples128(1).counter()[0], 800u);
}

TEST(CompatGuardedPhiloxRandom, IsSeededOnce) {
  GuardedPhiloxRandom guarded, other;
  EXPECT_THROW(guarded.ReserveSamples32(1), tensorflow::internal::Failure);
  guarded.Init(0, 0);
  other.Init(0, 0);
  EXPECT_NE(guarded.ReserveSamples32(1)()[0], other.ReserveSamples32(1)()[0]);
  EXPECT_THROW(guarded.Init(1, 2), tensorflow::internal::Failure);
}

}  // namespace
}  // namespace random

}  // namespace tensorflow

// compat/tests/tensorflow/numbers_test.cc: bits, codes of numbers, and numbers in text, by TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/lib/strings/numbers.h"

#include <gtest/gtest.h>

#include <limits>

#include "tensorflow/core/lib/core/bits.h"
#include "tensorflow/core/lib/core/coding.h"
#include "tensorflow/core/lib/hash/hash.h"
#include "tensorflow/core/lib/math/math_util.h"
#include "tensorflow/core/lib/strings/stringprintf.h"
#include "tensorflow/core/util/overflow.h"

namespace tensorflow {
namespace {

TEST(CompatBits, TakesLogarithms) {
  EXPECT_EQ(Log2Floor(0), -1);
  EXPECT_EQ(Log2Floor(1), 0);
  EXPECT_EQ(Log2Floor(0xffffffff), 31);
  EXPECT_EQ(Log2Floor64(uint64{1} << 40), 40);
  EXPECT_EQ(Log2Ceiling(1), 0);
  EXPECT_EQ(Log2Ceiling64((uint64{1} << 40) + 1), 41);
  EXPECT_EQ(NextPowerOfTwo64((uint64{1} << 40) + 1), uint64{1} << 41);
  EXPECT_EQ(NextPowerOfTwo(1), 1u);
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
  EXPECT_FALSE(core::GetVarint32(&rest, &number));  // too large
}

TEST(CompatNumbers, AreReadWhole) {
  uint32 natural = 0;
  uint64_t wide = 0;
  double real = 0;
  EXPECT_TRUE(strings::safe_strtou32("4294967295", &natural));
  EXPECT_EQ(natural, 0xffffffffu);
  EXPECT_FALSE(strings::safe_strtou32("-1", &natural));
  EXPECT_TRUE(strings::safe_strtou64("18446744073709551615", &wide));
  EXPECT_EQ(wide, 18446744073709551615u);
  EXPECT_TRUE(strings::safe_strtod(" 2.5 ", &real));
  EXPECT_EQ(real, 2.5);
  EXPECT_TRUE(strings::HexStringToUint64("ff", &wide));
  EXPECT_EQ(wide, 255u);
  EXPECT_FALSE(strings::HexStringToUint64("fg", &wide));
}

TEST(CompatNumbers, AreReadByType) {
  float f = 0;
  double d = 0;
  int32 i = 0;
  EXPECT_TRUE(strings::SafeStringToNumeric<float>("1.5", &f));
  EXPECT_TRUE(strings::SafeStringToNumeric<double>("-1.5", &d));
  EXPECT_TRUE(strings::SafeStringToNumeric<int32>("-15", &i));
  EXPECT_EQ(f + d + i, -15);
  EXPECT_FALSE(strings::SafeStringToNumeric<int32>("+-15", &i));
  EXPECT_FALSE(strings::SafeStringToNumeric<int32>("1.5", &i));
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
}

TEST(CompatPrintf, Appends) {
  std::string text = "a";
  strings::Appendf(&text, "-%d-%s", 1, "b");
  EXPECT_EQ(text, "a-1-b");
}

std::string Formatted(const char* format, ...) {
  std::string text = "<";
  va_list arguments;
  va_start(arguments, format);
  strings::Appendv(&text, format, arguments);
  va_end(arguments);
  return text;
}

TEST(CompatPrintf, AppendsAList) {
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
}  // namespace tensorflow

// tests/sdk/types_test.cc: C++ types, DataType, and the 16-bit floats.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/types.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace opsrun {
namespace {

using internal::BFloat16;
using internal::Half;

TEST(DataTypes, HaveTheContractsNumbers) {
  EXPECT_EQ(DT_FLOAT, OPSRUN_DT_FLOAT);
  EXPECT_EQ(DT_UINT64, OPSRUN_DT_UINT64);
  EXPECT_EQ(DataTypeString(DT_COMPLEX128), "complex128");
  EXPECT_EQ(DataTypeString(DT_FLOAT) + DataTypeString(DT_DOUBLE) + DataTypeString(DT_HALF), "floatdoublehalf");
  EXPECT_EQ(DataTypeName(DT_FLOAT) + DataTypeName(DT_DOUBLE) + DataTypeName(DT_HALF), "float32float64float16");
  EXPECT_EQ(DataTypeString(DT_UINT64), "uint64");
  EXPECT_EQ(DataTypeString(static_cast<DataType>(77)), "DataType 77");
  EXPECT_EQ(DataTypeSize(DT_HALF), 2);
  EXPECT_EQ(DataTypeSize(DT_STRING), 0);
}

TEST(DataTypes, TakeBothKindsOf64BitIntegers) {
  EXPECT_EQ(DataTypeToEnum<long>::value, DT_INT64);
  EXPECT_EQ(DataTypeToEnum<long long>::value, DT_INT64);
  EXPECT_EQ(DataTypeToEnum<unsigned long>::v(), DT_UINT64);
  static_assert(std::is_same_v<int64, long long>);
  static_assert(std::is_same_v<EnumToDataType<DT_INT64>::Type, int64>);
  static_assert(!IsValidDataType<char*>::value);
}

template <typename T>
std::string Bits(T value) {
  uint16_t bits;
  memcpy(&bits, &value, sizeof(bits));
  char text[8];
  snprintf(text, sizeof(text), "%04x", bits);
  return text;
}

TEST(Half, HasIeeeBytes) {
  EXPECT_EQ(Bits(Half(1)), "3c00");
  EXPECT_EQ(Bits(Half(-2.5)), "c100");
  EXPECT_EQ(Bits(Half(65504)), "7bff");
  EXPECT_EQ(Bits(Half(65520)), "7c00");
  EXPECT_EQ(Bits(Half(0x1p-24f)), "0001");
  EXPECT_EQ(Bits(Half(-0.0f)), "8000");
  EXPECT_TRUE(std::isnan(float(Half(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(float(Half(2049)), 2048);
  EXPECT_EQ(float(Half(2051)), 2052);
  EXPECT_EQ(float(Half(1.5 * 0x1p-24)), 0x1p-23f);
}

TEST(Half, SurvivesARoundTripOfAllItsValues) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    if ((half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0) continue;  // NaN
    ASSERT_EQ(internal::HalfFormat::Encode(internal::HalfFormat::Decode(half)), half);
  }
}

TEST(BFloat16, IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(Bits(BFloat16(1)), "3f80");
  EXPECT_EQ(Bits(BFloat16(1 + 0x1p-8f)), "3f80");
  EXPECT_EQ(Bits(BFloat16(1 + 0x1.8p-7f)), "3f82");
  EXPECT_TRUE(std::isnan(float(BFloat16(std::numeric_limits<float>::quiet_NaN()))));
}

// What kernels that are written for float do.
template <typename T>
float Arithmetic() {
  T x = 0, y = 3;
  x = 2 * y;
  x += T(1);
  x = std::max(x, y);
  return std::sqrt(x * x) + (x > 0 ? 1 : 0);
}

TEST(SmallFloats, ComputeAsFloats) {
  EXPECT_EQ(Arithmetic<Half>(), 8);
  EXPECT_EQ(Arithmetic<BFloat16>(), 8);
  EXPECT_EQ(Arithmetic<float>(), 8);
}

}  // namespace
}  // namespace opsrun

// tests/sdk/types_test.cc: C++ types, DataType, the 8-bit and 16-bit floats, and tstring.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/types.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <thread>
#include <unordered_set>
#include <vector>

#include "opsrun/register_types.h"
#include "opsrun/tstring.h"
#include "tests/host/tensor/float8_answers.h"

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

TEST(BFloat16, IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(Bits(BFloat16(1)), "3f80");
  EXPECT_EQ(Bits(BFloat16(1 + 0x1p-8f)), "3f80");
  EXPECT_EQ(Bits(BFloat16(1 + 0x1.8p-7f)), "3f82");
  EXPECT_TRUE(std::isnan(float(BFloat16(std::numeric_limits<float>::quiet_NaN()))));
}

// The operations of kernels that are written for float.
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

template <typename T>
void AgreesWithMlDtypes(size_t format) {
  for (const host::Float8Answer& answer : host::kFloat8Answers) {
    EXPECT_EQ(T(NumberOf(answer)).rep(), CodeOf(answer, format)) << host::kFloat8Names[format] << NumberOf(answer);
  }
  const auto bits = [](uint8_t code) { return internal::FloatBits(float(T::FromRep(code))); };
  EXPECT_EQ(host::HashOf256(bits), host::kFloat8Hashes[format]) << host::kFloat8Names[format];
}

template <typename T>
void IsAnElementType(DataType type) {
  static_assert(sizeof(T) == 1 && std::is_trivially_copyable_v<T> && IsValidDataType<T>::value);
  EXPECT_EQ(DataTypeToEnum<T>::value, type);
  EXPECT_EQ(DataTypeSize(type), 1);
}

template <typename T>
void ComputesAsAFloat() {
  T x = 0, y = 3;
  x += 2 * y;
  x = std::max(x, T(1)) - 2;
  EXPECT_EQ(float(x), 4);
  EXPECT_EQ(static_cast<int>(-x / y * y), -4);
  x *= 2;
  EXPECT_EQ(float(x), 8);
  x -= y;
  EXPECT_EQ(float(x), 5);
  x /= 2;
  EXPECT_EQ(float(x), 2.5f);
  x = 4;
  EXPECT_TRUE(x > y && y < x && x != y && x == T(4) && x >= 4.0 && !(x <= y));
  static_assert(!std::is_convertible_v<T, float>);
}

TEST(Float8, RoundsADoubleOnce) {
  EXPECT_EQ(float(float8_e4m3fn(1.0625 + 0x1p-40)), 1.125f);
  EXPECT_EQ(float(float8_e4m3fn(int64{-7})), -7);
}

TEST(Float8, ConvertsToOtherSmallFloats) {
  EXPECT_EQ(float(Half(float8_e4m3fn(1.125))), 1.125f);
  EXPECT_EQ(float(static_cast<float8_e5m2>(float8_e4m3fn(1.125))), 1);
  EXPECT_EQ(float(float8_e4m3fn(BFloat16(0.5))), 0.5f);
}

template <typename T>
void HasLimits(float max, float min, float least, float epsilon) {
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(float(Limits::max()), max);
  EXPECT_EQ(float(Limits::lowest()), -max);
  EXPECT_EQ(float(Limits::min()), min);
  EXPECT_EQ(float(Limits::denorm_min()), least);
  EXPECT_EQ(float(Limits::epsilon()), epsilon);
  EXPECT_TRUE(isnan(Limits::quiet_NaN()) && !isfinite(Limits::quiet_NaN()));
  EXPECT_EQ(isinf(Limits::infinity()), Limits::has_infinity);
  EXPECT_EQ(float(abs(T(-1.5))), 1.5f);
  EXPECT_TRUE(isnan(abs(Limits::quiet_NaN())));
}

// format: its index in kFloat8Names.
template <typename T>
void TestFloat8(size_t format, DataType type, float max, float min, float least, float epsilon) {
  AgreesWithMlDtypes<T>(format);
  IsAnElementType<T>(type);
  ComputesAsAFloat<T>();
  HasLimits<T>(max, min, least, epsilon);
}

TEST(Float8, IsAsItsFormatSays) {
  TestFloat8<float8_e5m2>(0, DT_FLOAT8_E5M2, 57344, 0x1p-14f, 0x1p-16f, 0.25f);
  TestFloat8<float8_e4m3fn>(1, DT_FLOAT8_E4M3FN, 448, 0x1p-6f, 0x1p-9f, 0.125f);
  TestFloat8<float8_e4m3fnuz>(2, DT_FLOAT8_E4M3FNUZ, 240, 0x1p-7f, 0x1p-10f, 0.125f);
  TestFloat8<float8_e4m3b11fnuz>(3, DT_FLOAT8_E4M3B11FNUZ, 30, 0x1p-10f, 0x1p-13f, 0.125f);
  TestFloat8<float8_e5m2fnuz>(4, DT_FLOAT8_E5M2FNUZ, 57344, 0x1p-15f, 0x1p-17f, 0.25f);
  static_assert(std::is_same_v<EnumToDataType<DT_FLOAT8_E4M3FN>::Type, float8_e4m3fn>);
}

#define OPSRUN_TEST_ENUM(T) DataTypeToEnum<T>::value,

TEST(RegisterTypes, HaveTheSetsOfTheFrameworkThatTheyComeFrom) {
  EXPECT_EQ((std::set<DataType>{TF_CALL_REAL_NUMBER_TYPES(OPSRUN_TEST_ENUM)}),
            (std::set<DataType>{DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, DT_INT64, DT_BFLOAT16,
                                DT_UINT16, DT_HALF, DT_UINT32, DT_UINT64}));
  EXPECT_EQ((std::set<DataType>{TF_CALL_INTEGRAL_TYPES(OPSRUN_TEST_ENUM)}).size(), 8u);
  EXPECT_EQ((std::set<DataType>{TF_CALL_NUMBER_TYPES(OPSRUN_TEST_ENUM)}).size(), 14u);
  EXPECT_EQ((std::set<DataType>{TF_CALL_NUMBER_TYPES_NO_INT32(OPSRUN_TEST_ENUM)}).count(DT_INT32), 0u);
  EXPECT_EQ((std::set<DataType>{TF_CALL_POD_TYPES(OPSRUN_TEST_ENUM)}).size(), 15u);
  EXPECT_EQ((std::set<DataType>{TF_CALL_QUANTIZED_TYPES(OPSRUN_TEST_ENUM)}),
            (std::set<DataType>{DT_QINT8, DT_QUINT8, DT_QINT32}));
  EXPECT_EQ((std::set<DataType>{TF_CALL_GPU_NUMBER_TYPES(OPSRUN_TEST_ENUM)}),
            (std::set<DataType>{DT_HALF, DT_FLOAT, DT_DOUBLE}));
}

TEST(RegisterTypes, NameTheFloatsOf8BitsOneByOne) {
  EXPECT_EQ((std::set<DataType>{TF_CALL_float8_e5m2(OPSRUN_TEST_ENUM) TF_CALL_float8_e4m3fn(
                OPSRUN_TEST_ENUM) TF_CALL_float8_e4m3fnuz(OPSRUN_TEST_ENUM) TF_CALL_float8_e4m3b11fnuz(OPSRUN_TEST_ENUM)
                                    TF_CALL_float8_e5m2fnuz(OPSRUN_TEST_ENUM)}),
            (std::set<DataType>{DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN, DT_FLOAT8_E4M3FNUZ, DT_FLOAT8_E4M3B11FNUZ,
                                DT_FLOAT8_E5M2FNUZ}));
}

#undef OPSRUN_TEST_ENUM

}  // namespace

}  // namespace opsrun

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

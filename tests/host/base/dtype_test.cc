// SPDX-License-Identifier: Apache-2.0
#include "host/base/dtype.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(DTypeName, IsNumPysOrANumber) {
  for (const auto& [dtype, name] : {std::pair(DType::kFloat32, "float32"), std::pair(DType::kFloat64, "float64"),
                                    std::pair(DType::kFloat16, "float16"), std::pair(DType::kQInt8, "qint8"),
                                    std::pair(DTypeFromNumber(99), "dtype 99"), std::pair(DType::kInvalid, "dtype 0")})
    EXPECT_EQ(DTypeName(dtype), name);
}

TEST(DTypeFromName, TakesBackEveryNameAndKnowsTheGuidesNamesAndEnumWords) {
  for (const DType dtype : kAllDTypes) EXPECT_EQ(DTypeFromName(DTypeName(dtype)), dtype);
  for (const auto& [name, dtype] : {std::pair("float", DType::kFloat32), std::pair("double", DType::kFloat64),
                                    std::pair("half", DType::kFloat16), std::pair("DT_BFLOAT16", DType::kBFloat16)})
    EXPECT_EQ(DTypeFromName(name), dtype) << name;
  for (const char* name : {"", "int", "Float32", "float31", "DT_FLOAT32", "DT_INVALID", "float32 "})
    EXPECT_FALSE(DTypeFromName(name)) << name;
}

TEST(DTypeFromNumber, TakesThe33Numbers) {
  for (const int64_t number : {0, 34}) EXPECT_FALSE(IsDType(DTypeFromNumber(number)));
  for (const int64_t number : {1, 33}) EXPECT_TRUE(IsDType(DTypeFromNumber(number)));
  EXPECT_EQ(DTypeFromNumber((int64_t{1} << 32) + 1), DType::kInvalid);
}

// The code and the bits of DLPack 1.1.
TEST(DTypeToDLPack, TellsKindsApartAndAgreesWithTheSizes) {
  for (const DType dtype : kAllDTypes) {
    const opsrun_dldtype dl = DTypeToDLPack(dtype);
    EXPECT_EQ(dl.lanes, 1);
    if (DTypeSize(dtype) > 0) {
      EXPECT_EQ(dl.bits, 8 * DTypeSize(dtype)) << DTypeName(dtype);
    }
  }
  const struct {
    DType dtype;
    int code, bits;
  } rows[] = {{DType::kInt64, 0, 64},          {DType::kUInt8, 1, 8},
              {DType::kFloat16, 2, 16},        {DType::kBFloat16, 4, 16},
              {DType::kComplex64, 5, 64},      {DType::kBool, 6, 8},
              {DType::kFloat8E5M2, 12, 8},     {DType::kFloat8E4M3FN, 10, 8},
              {DType::kFloat8E4M3FNUZ, 11, 8}, {DType::kFloat8E4M3B11FNUZ, 9, 8},
              {DType::kFloat8E5M2FNUZ, 13, 8}, {DType::kInt4, 0, 4},
              {DType::kUInt4, 1, 4},           {DType::kInt2, 0, 2},
              {DType::kUInt2, 1, 2},           {DType::kFloat4E2M1FN, 17, 4}};
  for (const auto& [dtype, code, bits] : rows) {
    EXPECT_EQ(DTypeToDLPack(dtype).code, code) << DTypeName(dtype);
    EXPECT_EQ(DTypeToDLPack(dtype).bits, bits) << DTypeName(dtype);
  }
}

TEST(ElementBytes, AreTheSizeOrThatOfASlotAndSomeForAllThatCanBeFed) {
  const struct {
    DType dtype;
    size_t size, bytes;
  } rows[] = {{DType::kComplex128, 16, 16}, {DType::kBool, 1, 1},       {DType::kFloat32, 4, 4},
              {DType::kString, 0, 16},      {DType::kResource, 0, 8},   {DType::kVariant, 0, 8},
              {DType::kInt4, 0, 0},         {DTypeFromNumber(99), 0, 0}};
  for (const auto& [dtype, size, bytes] : rows) {
    EXPECT_EQ(DTypeSize(dtype), size) << DTypeName(dtype);
    EXPECT_EQ(ElementBytes(dtype), bytes) << DTypeName(dtype);
  }
  EXPECT_EQ(FeedableDTypeNames().size(), 26u);
  for (const std::string& name : FeedableDTypeNames()) {
    ASSERT_TRUE(DTypeFromName(name)) << name;
    EXPECT_GT(ElementBytes(*DTypeFromName(name)), 0u) << name;
  }
}

}  // namespace
}  // namespace opsrun::host

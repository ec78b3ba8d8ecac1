// SPDX-License-Identifier: Apache-2.0
#include "host/base/dtype.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(DTypeName, IsNumPys) {
  EXPECT_EQ(DTypeName(DType::kFloat32), "float32");
  EXPECT_EQ(DTypeName(DType::kFloat64), "float64");
  EXPECT_EQ(DTypeName(DType::kFloat16), "float16");
  EXPECT_EQ(DTypeName(DType::kQInt8), "qint8");
}

TEST(DTypeName, NumbersWhatIsNone) {
  EXPECT_EQ(DTypeName(DTypeFromNumber(99)), "dtype 99");
  EXPECT_EQ(DTypeName(DType::kInvalid), "dtype 0");
}

TEST(DTypeFromName, TakesBackEveryName) {
  for (const DType dtype : kAllDTypes) {
    EXPECT_EQ(DTypeFromName(DTypeName(dtype)), dtype);
  }
}

TEST(DTypeFromName, KnowsTheGuidesNamesAndEnumWords) {
  EXPECT_EQ(DTypeFromName("float"), DType::kFloat32);
  EXPECT_EQ(DTypeFromName("double"), DType::kFloat64);
  EXPECT_EQ(DTypeFromName("half"), DType::kFloat16);
  EXPECT_EQ(DTypeFromName("DT_BFLOAT16"), DType::kBFloat16);
}

TEST(DTypeFromName, RefusesEverythingElse) {
  for (const char* name : {"", "int", "Float32", "float31", "DT_FLOAT32", "DT_INVALID", "float32 "}) {
    EXPECT_FALSE(DTypeFromName(name)) << name;
  }
}

TEST(DTypeSize, IsTheContracts) {
  EXPECT_EQ(DTypeSize(DType::kComplex128), 16u);
  EXPECT_EQ(DTypeSize(DType::kBool), 1u);
  EXPECT_EQ(DTypeSize(DType::kString), 0u);
  EXPECT_EQ(DTypeSize(DTypeFromNumber(99)), 0u);
}

TEST(IsDType, IsTrueFor33Numbers) {
  EXPECT_FALSE(IsDType(DTypeFromNumber(0)));
  EXPECT_TRUE(IsDType(DTypeFromNumber(1)));
  EXPECT_TRUE(IsDType(DTypeFromNumber(33)));
  EXPECT_FALSE(IsDType(DTypeFromNumber(34)));
}

TEST(DTypeFromNumber, MakesNoDTypeOfALargeNumber) {
  EXPECT_EQ(DTypeFromNumber((int64_t{1} << 32) + 1), DType::kInvalid);
}

TEST(DTypeToDLPack, AgreesWithTheSizes) {
  for (const DType dtype : kAllDTypes) {
    opsrun_dldtype dl = DTypeToDLPack(dtype);
    EXPECT_EQ(dl.lanes, 1);
    if (DTypeSize(dtype) > 0) {
      EXPECT_EQ(dl.bits, 8 * DTypeSize(dtype)) << DTypeName(dtype);
    }
  }
}

TEST(DTypeToDLPack, TellsKindsApart) {
  EXPECT_EQ(DTypeToDLPack(DType::kInt64).code, 0);
  EXPECT_EQ(DTypeToDLPack(DType::kUInt8).code, 1);
  EXPECT_EQ(DTypeToDLPack(DType::kFloat16).code, 2);
  EXPECT_EQ(DTypeToDLPack(DType::kBFloat16).code, 4);
  EXPECT_EQ(DTypeToDLPack(DType::kComplex64).code, 5);
  EXPECT_EQ(DTypeToDLPack(DType::kBool).code, 6);
}

// Of DLPack 1.1.
TEST(DTypeToDLPack, KnowsWhatIsSmallerThanAByte) {
  const auto is = [](DType dtype, int code, int bits) {
    const opsrun_dldtype dl = DTypeToDLPack(dtype);
    EXPECT_EQ(dl.code, code) << DTypeName(dtype);
    EXPECT_EQ(dl.bits, bits) << DTypeName(dtype);
  };
  is(DType::kFloat8E5M2, 12, 8);
  is(DType::kFloat8E4M3FN, 10, 8);
  is(DType::kFloat8E4M3FNUZ, 11, 8);
  is(DType::kFloat8E4M3B11FNUZ, 9, 8);
  is(DType::kFloat8E5M2FNUZ, 13, 8);
  is(DType::kInt4, 0, 4);
  is(DType::kUInt4, 1, 4);
  is(DType::kInt2, 0, 2);
  is(DType::kUInt2, 1, 2);
  is(DType::kFloat4E2M1FN, 17, 4);
  EXPECT_EQ(ElementBytes(DType::kInt4), 0u);
}

TEST(FeedableDTypeNames, AreNamesOfTypesThatTakeMemory) {
  EXPECT_EQ(FeedableDTypeNames().size(), 26u);
  for (const std::string& name : FeedableDTypeNames()) {
    ASSERT_TRUE(DTypeFromName(name)) << name;
    EXPECT_GT(ElementBytes(*DTypeFromName(name)), 0u) << name;
  }
}

TEST(ElementBytes, OfSlotsIsWhatTheContractSays) {
  EXPECT_EQ(ElementBytes(DType::kFloat32), 4u);
  EXPECT_EQ(ElementBytes(DType::kString), 16u);
  EXPECT_EQ(ElementBytes(DType::kResource), 8u);
  EXPECT_EQ(ElementBytes(DType::kVariant), 8u);
  EXPECT_EQ(ElementBytes(DType::kInt4), 0u);
  EXPECT_EQ(ElementBytes(DTypeFromNumber(99)), 0u);
}

}  // namespace
}  // namespace opsrun::host

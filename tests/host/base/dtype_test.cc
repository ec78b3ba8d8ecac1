// SPDX-License-Identifier: Apache-2.0
#include "host/base/dtype.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(DTypeName, IsNumPys) {
  EXPECT_EQ(DTypeName(OPSRUN_DT_FLOAT), "float32");
  EXPECT_EQ(DTypeName(OPSRUN_DT_DOUBLE), "float64");
  EXPECT_EQ(DTypeName(OPSRUN_DT_HALF), "float16");
  EXPECT_EQ(DTypeName(OPSRUN_DT_QINT8), "qint8");
}

TEST(DTypeName, NumbersWhatIsNone) {
  EXPECT_EQ(DTypeName(99), "dtype 99");
  EXPECT_EQ(DTypeName(OPSRUN_DT_INVALID), "dtype 0");
}

TEST(DTypeFromName, TakesBackEveryName) {
  for (DType dtype = OPSRUN_DT_FLOAT; dtype <= OPSRUN_DT_UINT64; ++dtype) {
    EXPECT_EQ(DTypeFromName(DTypeName(dtype)), dtype);
  }
}

TEST(DTypeFromName, KnowsTheGuidesNamesAndEnumWords) {
  EXPECT_EQ(DTypeFromName("float"), OPSRUN_DT_FLOAT);
  EXPECT_EQ(DTypeFromName("double"), OPSRUN_DT_DOUBLE);
  EXPECT_EQ(DTypeFromName("half"), OPSRUN_DT_HALF);
  EXPECT_EQ(DTypeFromName("DT_BFLOAT16"), OPSRUN_DT_BFLOAT16);
}

TEST(DTypeFromName, RefusesEverythingElse) {
  for (const char* name : {"", "int", "Float32", "float31", "DT_FLOAT32", "DT_INVALID", "float32 "}) {
    EXPECT_FALSE(DTypeFromName(name)) << name;
  }
}

TEST(DTypeSize, IsTheContracts) {
  EXPECT_EQ(DTypeSize(OPSRUN_DT_COMPLEX128), 16u);
  EXPECT_EQ(DTypeSize(OPSRUN_DT_BOOL), 1u);
  EXPECT_EQ(DTypeSize(OPSRUN_DT_STRING), 0u);
  EXPECT_EQ(DTypeSize(99), 0u);
}

TEST(IsDType, IsTrueFor23Numbers) {
  EXPECT_FALSE(IsDType(0));
  EXPECT_TRUE(IsDType(1));
  EXPECT_TRUE(IsDType(23));
  EXPECT_FALSE(IsDType(24));
}

TEST(DTypeToDLPack, AgreesWithTheSizes) {
  for (DType dtype = OPSRUN_DT_FLOAT; dtype <= OPSRUN_DT_UINT64; ++dtype) {
    opsrun_dldtype dl = DTypeToDLPack(dtype);
    EXPECT_EQ(dl.lanes, 1);
    if (DTypeSize(dtype) > 0) {
      EXPECT_EQ(dl.bits, 8 * DTypeSize(dtype)) << DTypeName(dtype);
    }
  }
}

TEST(DTypeToDLPack, TellsKindsApart) {
  EXPECT_EQ(DTypeToDLPack(OPSRUN_DT_INT64).code, 0);
  EXPECT_EQ(DTypeToDLPack(OPSRUN_DT_UINT8).code, 1);
  EXPECT_EQ(DTypeToDLPack(OPSRUN_DT_HALF).code, 2);
  EXPECT_EQ(DTypeToDLPack(OPSRUN_DT_BFLOAT16).code, 4);
  EXPECT_EQ(DTypeToDLPack(OPSRUN_DT_COMPLEX64).code, 5);
  EXPECT_EQ(DTypeToDLPack(OPSRUN_DT_BOOL).code, 6);
}

TEST(FeedableDTypeNames, AreNamesOfTypesThatTakeMemory) {
  EXPECT_EQ(FeedableDTypeNames().size(), 21u);
  for (const std::string& name : FeedableDTypeNames()) {
    ASSERT_TRUE(DTypeFromName(name)) << name;
    EXPECT_GT(ElementBytes(*DTypeFromName(name)), 0u) << name;
  }
}

TEST(ElementBytes, OfSlotsIsWhatTheContractSays) {
  EXPECT_EQ(ElementBytes(OPSRUN_DT_FLOAT), 4u);
  EXPECT_EQ(ElementBytes(OPSRUN_DT_STRING), 16u);
  EXPECT_EQ(ElementBytes(OPSRUN_DT_RESOURCE), 8u);
  EXPECT_EQ(ElementBytes(OPSRUN_DT_VARIANT), 0u);
  EXPECT_EQ(ElementBytes(99), 0u);
}

}  // namespace
}  // namespace opsrun::host

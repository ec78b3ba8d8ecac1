// SPDX-License-Identifier: Apache-2.0
#include "host/spec/type_words.h"

#include <gtest/gtest.h>

namespace opsrun::host::spec {
namespace {

TEST(TypeFromWord, KnowsNamesAliasesAndReferences) {
  EXPECT_EQ(TypeFromWord("float"), OPSRUN_DT_FLOAT);
  EXPECT_EQ(TypeFromWord("float64"), OPSRUN_DT_DOUBLE);
  EXPECT_EQ(TypeFromWord("int32_ref"), OPSRUN_DT_INT32 + kRefOffset);
}

TEST(TypeFromWord, KnowsNoEnumWords) {
  EXPECT_FALSE(TypeFromWord("DT_FLOAT"));
  EXPECT_FALSE(TypeFromWord("int"));
  EXPECT_FALSE(TypeFromWord("_ref"));
}

TEST(TypeFromEnumWord, IsExact) {
  EXPECT_EQ(TypeFromEnumWord("DT_HALF"), OPSRUN_DT_HALF);
  EXPECT_EQ(TypeFromEnumWord("DT_HALF_REF"), OPSRUN_DT_HALF + kRefOffset);
  EXPECT_EQ(TypeFromEnumWord("DT_INVALID"), OPSRUN_DT_INVALID);
  EXPECT_FALSE(TypeFromEnumWord("DT_FLOAT16"));
  EXPECT_FALSE(TypeFromEnumWord("half"));
}

TEST(EnumWord, IsReadBack) {
  for (DType dtype = OPSRUN_DT_FLOAT; dtype <= OPSRUN_DT_UINT64; ++dtype) {
    EXPECT_EQ(TypeFromEnumWord(EnumWord(dtype)), dtype);
    EXPECT_EQ(TypeFromEnumWord(EnumWord(dtype + kRefOffset)), dtype + kRefOffset);
  }
}

TEST(TypeText, IsNumPysName) {
  EXPECT_EQ(TypeText(OPSRUN_DT_FLOAT), "float32");
  EXPECT_EQ(TypeText(OPSRUN_DT_FLOAT + kRefOffset), "float32_ref");
  EXPECT_EQ(TypeText(kRefOffset), "dtype 100");
}

TEST(TypeSetFromWord, HasTheSizesOfTheLanguage) {
  EXPECT_EQ(TypeSetFromWord("numbertype")->size(), 17u);
  EXPECT_EQ(TypeSetFromWord("numerictype"), TypeSetFromWord("numbertype"));
  EXPECT_EQ(TypeSetFromWord("realnumbertype")->size(), 12u);
  EXPECT_EQ(TypeSetFromWord("realnumerictype"), TypeSetFromWord("realnumbertype"));
  EXPECT_EQ(TypeSetFromWord("quantizedtype")->size(), 5u);
  EXPECT_EQ(TypeSetFromWord("alltypes"), nullptr);
}

TEST(TypeSetWord, NamesExactSetsOnly) {
  EXPECT_EQ(TypeSetWord(*TypeSetFromWord("numerictype")), "numbertype");
  EXPECT_EQ(TypeSetWord({OPSRUN_DT_FLOAT}), "");
  EXPECT_EQ(TypeSetWord({}), "");
}

}  // namespace
}  // namespace opsrun::host::spec

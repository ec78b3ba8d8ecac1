// SPDX-License-Identifier: Apache-2.0
#include "host/spec/type_words.h"

#include <gtest/gtest.h>

namespace opsrun::host::spec {
namespace {

TEST(TypeFromWord, KnowsNamesAliasesAndReferences) {
  EXPECT_EQ(TypeFromWord("float"), DType::kFloat32);
  EXPECT_EQ(TypeFromWord("float64"), DType::kFloat64);
  EXPECT_EQ(TypeFromWord("int32_ref"), RefType(DType::kInt32));
}

TEST(TypeFromWord, KnowsNoEnumWords) {
  EXPECT_FALSE(TypeFromWord("DT_FLOAT"));
  EXPECT_FALSE(TypeFromWord("int"));
  EXPECT_FALSE(TypeFromWord("_ref"));
}

TEST(TypeFromEnumWord, IsExact) {
  EXPECT_EQ(TypeFromEnumWord("DT_HALF"), DType::kFloat16);
  EXPECT_EQ(TypeFromEnumWord("DT_HALF_REF"), RefType(DType::kFloat16));
  EXPECT_EQ(TypeFromEnumWord("DT_INVALID"), DType::kInvalid);
  EXPECT_FALSE(TypeFromEnumWord("DT_FLOAT16"));
  EXPECT_FALSE(TypeFromEnumWord("half"));
}

TEST(EnumWord, IsReadBack) {
  for (const DType dtype : kAllDTypes) {
    EXPECT_EQ(TypeFromEnumWord(EnumWord(dtype)), dtype);
    EXPECT_EQ(TypeFromEnumWord(EnumWord(RefType(dtype))), RefType(dtype));
  }
}

TEST(TypeText, IsNumPysName) {
  EXPECT_EQ(TypeText(DType::kFloat32), "float32");
  EXPECT_EQ(TypeText(RefType(DType::kFloat32)), "float32_ref");
  EXPECT_EQ(TypeText(RefType(DType::kInvalid)), "dtype 100");
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
  EXPECT_EQ(TypeSetWord({DType::kFloat32}), "");
  EXPECT_EQ(TypeSetWord({}), "");
}

}  // namespace
}  // namespace opsrun::host::spec

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/spec/type_words.h"
#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

const std::vector<AttrDef>& Attrs() {
  static const std::vector<AttrDef> attrs = MakeOp({"T: type", "TL: list(type)", "N: int", "Ref: type"}, {}, {}).attrs;
  return attrs;
}

std::optional<SpecError> ArgError(const std::string& spec, const std::vector<AttrDef>& attrs = Attrs()) {
  ArgDef arg;
  SpecOffsets offsets;
  return ParseArg(spec, "Input", attrs, &arg, &offsets);
}

TEST(ParseArg, NamesWhatIsWrongAndWhere) {
  for (const auto& [spec, mistake] :
       {std::pair("X: float", "name@0"), std::pair("xY: float", "name@1"), std::pair("x float", "name@2"),
        std::pair("x:", "type_syntax@2"), std::pair("x: 2 * float", "type_syntax@3"),
        std::pair("x: U", "unknown_attr@3"), std::pair("x: N * U", "unknown_attr@7"),
        std::pair("x: T * N", "attr_not_a_type@7"), std::pair("x: Ref(T", "ref_close@8"),
        std::pair("x: N * Ref(T)", "trailing@10"), std::pair("x: float half", "trailing@9"),
        std::pair("x: float *", "trailing@9")}) {
    const std::optional<SpecError> error = ArgError(spec);
    EXPECT_EQ(error ? std::string(error->kind) + "@" + std::to_string(error->offset) : "none", mistake) << spec;
  }
  AttrDef broken;
  broken.name = "T";
  EXPECT_FALSE(ArgError("x: T", {broken})) << "the type of an attr that could not be read is not asked for";
}

TEST(ParseControlOutput, IsANameAndNothingElse) {
  std::string name;
  EXPECT_FALSE(ParseControlOutput("Done_1", &name));
  EXPECT_EQ(name, "Done_1");
  EXPECT_STREQ(ParseControlOutput("1", &name)->kind, "name");
  EXPECT_STREQ(ParseControlOutput("done: float", &name)->kind, "trailing");
}

TEST(TypeFromWord, KnowsNamesAliasesAndReferencesAndNoEnumWords) {
  EXPECT_EQ(TypeFromWord("float"), DType::kFloat32);
  EXPECT_EQ(TypeFromWord("float64"), DType::kFloat64);
  EXPECT_EQ(TypeFromWord("int32_ref"), RefType(DType::kInt32));
  for (const char* word : {"DT_FLOAT", "int", "_ref"}) EXPECT_FALSE(TypeFromWord(word)) << word;
}

TEST(TypeFromEnumWord, ReadsEnumWordsExactly) {
  EXPECT_EQ(TypeFromEnumWord("DT_HALF"), DType::kFloat16);
  EXPECT_EQ(TypeFromEnumWord("DT_HALF_REF"), RefType(DType::kFloat16));
  EXPECT_EQ(TypeFromEnumWord("DT_INVALID"), DType::kInvalid);
  for (const char* word : {"DT_FLOAT16", "half"}) EXPECT_FALSE(TypeFromEnumWord(word)) << word;
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

// The sets are in tests/vectors.
TEST(TypeSetWord, NamesASetOfTheLanguage) {
  EXPECT_EQ(TypeSetFromWord("alltypes"), nullptr);
  EXPECT_EQ(TypeSetWord(*TypeSetFromWord("numerictype")), "numbertype");
  EXPECT_EQ(TypeSetWord({DType::kFloat32}), "");
  EXPECT_EQ(TypeSetWord({}), "");
}

}  // namespace
}  // namespace opsrun::host::spec

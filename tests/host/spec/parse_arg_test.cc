// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_arg.h"

#include <gtest/gtest.h>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

const std::vector<AttrDef>& Attrs() {
  static const std::vector<AttrDef> attrs = MakeOp({"T: type", "TL: list(type)", "N: int", "Ref: type"}, {}, {}).attrs;
  return attrs;
}

std::optional<SpecError> ArgError(const std::string& spec, const std::vector<AttrDef>& attrs = Attrs()) {
  ArgDef arg;
  ArgPlaces places;
  return ParseArg(spec, "Input", attrs, &arg, &places);
}

ArgDef ParsedArg(const std::string& spec) {
  ArgDef arg;
  ArgPlaces places;
  const std::optional<SpecError> error = ParseArg(spec, "Input", Attrs(), &arg, &places);
  EXPECT_FALSE(error) << spec << ": " << (error ? error->message : "");
  return arg;
}

TEST(ParseArg, ReadsTypesLengthsAndReferences) {
  EXPECT_EQ(ParsedArg("x: float").dtype, DType::kFloat32);
  EXPECT_EQ(ParsedArg("x: T").type_attr, "T");
  EXPECT_EQ(ParsedArg("x_2 : TL ").type_list_attr, "TL");
  const ArgDef list = ParsedArg("xs:N*T"), ref = ParsedArg("v: Ref ( N * float )");
  EXPECT_EQ(list.number_attr, "N");
  EXPECT_EQ(list.type_attr, "T");
  EXPECT_TRUE(list.is_list());
  EXPECT_TRUE(ref.is_ref);
  EXPECT_EQ(ref.number_attr, "N");
  EXPECT_EQ(ref.dtype, DType::kFloat32);
  EXPECT_EQ(ParsedArg("v: Ref").type_attr, "Ref") << "no parenthesis follows";
  EXPECT_FALSE(ParsedArg("v: Ref").is_ref);
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
    EXPECT_EQ(error ? Word(error->kind) + "@" + std::to_string(error->offset) : "none", mistake) << spec;
  }
  const std::optional<SpecError> error = ArgError("x: flaot");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "'flaot' is neither a data type nor an attr of this op; did you mean 'float'?");
  AttrDef broken;
  broken.name = "T";
  EXPECT_FALSE(ArgError("x: T", {broken})) << "the type of an attr that could not be read is not asked for";
}

TEST(ParseControlOutput, IsANameAndNothingElse) {
  std::string name;
  EXPECT_FALSE(ParseControlOutput("Done_1", &name));
  EXPECT_EQ(name, "Done_1");
  EXPECT_EQ(ParseControlOutput("1", &name)->kind, SpecError::Kind::kName);
  EXPECT_EQ(ParseControlOutput("done: float", &name)->kind, SpecError::Kind::kTrailing);
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

TEST(TypeSetFromWord, HasTheSizesOfTheLanguage) {
  EXPECT_EQ(TypeSetFromWord("numbertype")->size(), 17u);
  EXPECT_EQ(TypeSetFromWord("numerictype"), TypeSetFromWord("numbertype"));
  EXPECT_EQ(TypeSetFromWord("realnumbertype")->size(), 12u);
  EXPECT_EQ(TypeSetFromWord("realnumerictype"), TypeSetFromWord("realnumbertype"));
  EXPECT_EQ(TypeSetFromWord("quantizedtype")->size(), 5u);
  EXPECT_EQ(TypeSetFromWord("alltypes"), nullptr);
  EXPECT_EQ(TypeSetWord(*TypeSetFromWord("numerictype")), "numbertype");
  EXPECT_EQ(TypeSetWord({DType::kFloat32}), "");
  EXPECT_EQ(TypeSetWord({}), "");
}

}  // namespace
}  // namespace opsrun::host::spec

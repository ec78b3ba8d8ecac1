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

ArgDef ParsedArg(const std::string& spec) {
  ArgDef arg;
  ArgPlaces places;
  std::optional<SpecError> error = ParseArg(spec, "Input", Attrs(), &arg, &places);
  EXPECT_FALSE(error) << spec << ": " << (error ? error->message : "");
  return arg;
}

std::string ArgMistake(const std::string& spec) {
  ArgDef arg;
  ArgPlaces places;
  std::optional<SpecError> error = ParseArg(spec, "Input", Attrs(), &arg, &places);
  return error ? Word(error->kind) + "@" + std::to_string(error->offset) : "none";
}

TEST(ParseArg, ReadsDataTypesAndAttrs) {
  EXPECT_EQ(ParsedArg("x: float").dtype, DType::kFloat32);
  EXPECT_EQ(ParsedArg("x: T").type_attr, "T");
  EXPECT_EQ(ParsedArg("x_2 : TL ").type_list_attr, "TL");
}

TEST(ParseArg, ReadsLengths) {
  ArgDef arg = ParsedArg("xs:N*T");
  EXPECT_EQ(arg.number_attr, "N");
  EXPECT_EQ(arg.type_attr, "T");
  EXPECT_TRUE(arg.is_list());
}

TEST(ParseArg, ReadsReferences) {
  ArgDef arg = ParsedArg("v: Ref ( N * float )");
  EXPECT_TRUE(arg.is_ref);
  EXPECT_EQ(arg.number_attr, "N");
  EXPECT_EQ(arg.dtype, DType::kFloat32);
}

TEST(ParseArg, TakesRefForAnAttrWhereNoParenthesisFollows) {
  EXPECT_EQ(ParsedArg("v: Ref").type_attr, "Ref");
  EXPECT_FALSE(ParsedArg("v: Ref").is_ref);
}

TEST(ParseArg, NamesWhatIsWrongAndWhere) {
  EXPECT_EQ(ArgMistake("X: float"), "name@0");
  EXPECT_EQ(ArgMistake("xY: float"), "name@1");
  EXPECT_EQ(ArgMistake("x float"), "name@2");
  EXPECT_EQ(ArgMistake("x:"), "type_syntax@2");
  EXPECT_EQ(ArgMistake("x: 2 * float"), "type_syntax@3");
  EXPECT_EQ(ArgMistake("x: U"), "unknown_attr@3");
  EXPECT_EQ(ArgMistake("x: N * U"), "unknown_attr@7");
  EXPECT_EQ(ArgMistake("x: T * N"), "attr_not_a_type@7");
  EXPECT_EQ(ArgMistake("x: Ref(T"), "ref_close@8");
  EXPECT_EQ(ArgMistake("x: N * Ref(T)"), "trailing@10");
  EXPECT_EQ(ArgMistake("x: float half"), "trailing@9");
  EXPECT_EQ(ArgMistake("x: float *"), "trailing@9");
}

TEST(ParseArg, SaysWhatMayBeMeant) {
  ArgDef arg;
  ArgPlaces places;
  std::optional<SpecError> error = ParseArg("x: flaot", "Input", Attrs(), &arg, &places);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "'flaot' is neither a data type nor an attr of this op; did you mean 'float'?");
}

TEST(ParseArg, DoesNotAskForTheTypeOfAnAttrThatCouldNotBeRead) {
  AttrDef broken;
  broken.name = "T";
  ArgDef arg;
  ArgPlaces places;
  EXPECT_FALSE(ParseArg("x: T", "Input", {broken}, &arg, &places));
}

TEST(ParseControlOutput, IsANameAndNothingElse) {
  std::string name;
  EXPECT_FALSE(ParseControlOutput("Done_1", &name));
  EXPECT_EQ(name, "Done_1");
  EXPECT_EQ(ParseControlOutput("1", &name)->kind, SpecError::Kind::kName);
  EXPECT_EQ(ParseControlOutput("done: float", &name)->kind, SpecError::Kind::kTrailing);
}

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

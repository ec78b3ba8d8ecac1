// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_attr.h"

#include <gtest/gtest.h>

#include "host/spec/type_words.h"
#include "tests/host/spec/kind_words.h"

namespace opsrun::host::spec {
namespace {

AttrDef Parse(const std::string& spec) {
  AttrDef attr;
  AttrPlaces places;
  std::optional<SpecError> error = ParseAttr(spec, &attr, &places);
  EXPECT_FALSE(error) << spec << ": " << (error ? error->message : "");
  return attr;
}

// "kind@offset" of the mistake.
std::string Mistake(const std::string& spec) {
  AttrDef attr;
  AttrPlaces places;
  std::optional<SpecError> error = ParseAttr(spec, &attr, &places);
  return error ? Word(error->kind) + "@" + std::to_string(error->offset) : "none";
}

std::string Message(const std::string& spec) {
  AttrDef attr;
  AttrPlaces places;
  std::optional<SpecError> error = ParseAttr(spec, &attr, &places);
  return error ? error->message : "";
}

TEST(ParseAttr, KnowsEveryKind) {
  EXPECT_EQ(Parse("a: string").type, (AttrType{OPSRUN_ATTR_STRING, false}));
  EXPECT_EQ(Parse("a: int").type, (AttrType{OPSRUN_ATTR_INT, false}));
  EXPECT_EQ(Parse("a: float").type, (AttrType{OPSRUN_ATTR_FLOAT, false}));
  EXPECT_EQ(Parse("a: bool").type, (AttrType{OPSRUN_ATTR_BOOL, false}));
  EXPECT_EQ(Parse("a: type").type, (AttrType{OPSRUN_ATTR_TYPE, false}));
  EXPECT_EQ(Parse("a: shape").type, (AttrType{OPSRUN_ATTR_SHAPE, false}));
  EXPECT_EQ(Parse("a: tensor").type, (AttrType{OPSRUN_ATTR_TENSOR, false}));
  EXPECT_EQ(Parse("a: list(func)").type, (AttrType{OPSRUN_ATTR_FUNC, true}));
}

TEST(ParseAttr, AllowsBlanksBetweenItsParts) {
  AttrDef attr = Parse("a_1\t:\nlist ( { 'x' , \"y\" , } ) >= 2 = [ 'x' , 'y' ] ");
  EXPECT_EQ(attr.name, "a_1");
  EXPECT_EQ(attr.allowed_strings, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(attr.minimum, 2);
  EXPECT_EQ(attr.default_value->strings, (std::vector<std::string>{"x", "y"}));
}

TEST(ParseAttr, KeepsTypesInTheOrderWritten) {
  EXPECT_EQ(Parse("T: {int32, float, int32}").allowed_types,
            (std::vector<DType>{DType::kInt32, DType::kFloat32, DType::kInt32}));
  EXPECT_EQ(Parse("T: {bool, quantizedtype}").allowed_types.size(), 6u);
}

TEST(ParseAttr, KnowsTypeSets) {
  EXPECT_EQ(Parse("T: realnumbertype").allowed_types, *TypeSetFromWord("realnumbertype"));
  EXPECT_EQ(Parse("T: list(numbertype)").allowed_types, *TypeSetFromWord("numbertype"));
  EXPECT_EQ(Parse("T: realnumerictype").allowed_types, *TypeSetFromWord("realnumbertype"));
}

TEST(ParseAttr, TakesMinimaOfInts) {
  EXPECT_EQ(Parse("n: int >= -9223372036854775808").minimum, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Parse("n: int>=3=4").default_value, AttrValue::Int(4));
}

TEST(ParseAttr, NamesWhatIsWrongAndWhere) {
  EXPECT_EQ(Mistake(" n: int"), "name@0");
  EXPECT_EQ(Mistake("n int"), "name@2");
  EXPECT_EQ(Mistake("n: double"), "type@3");
  EXPECT_EQ(Mistake("n:"), "type@2");
  EXPECT_EQ(Mistake("n: list(list(int))"), "type@8");
  EXPECT_EQ(Mistake("n: list(int"), "list_close@11");
  EXPECT_EQ(Mistake("n: int x"), "trailing@7");
  EXPECT_EQ(Mistake("n: float >= 1"), "trailing@9");
  EXPECT_EQ(Mistake("n: int >= x"), "minimum@10");
  EXPECT_EQ(Mistake("n: int >= 9223372036854775808"), "minimum@10");
  EXPECT_EQ(Mistake("n: int >= 1.5"), "trailing@11");
  EXPECT_EQ(Mistake("n: int = x"), "default@9");
  EXPECT_EQ(Mistake("n: int == 3"), "default@8");
}

TEST(ParseAttr, NamesWhatIsWrongInASet) {
  EXPECT_EQ(Mistake("n: {}"), "allowed_type@4");
  EXPECT_EQ(Mistake("n: {int32,, float}"), "allowed_type@10");
  EXPECT_EQ(Mistake("n: {int3}"), "allowed_type@4");
  EXPECT_EQ(Mistake("n: {DT_INT32}"), "allowed_type@4");
  EXPECT_EQ(Mistake("n: {'a', int32}"), "allowed_string@9");
  EXPECT_EQ(Mistake("n: {'a' 'b'}"), "allowed_separator@8");
  EXPECT_EQ(Mistake("n: {int32"), "allowed_separator@9");
}

TEST(ParseAttr, PointsAtTheWholeWordThatOnlyBeginsLikeAType) {
  EXPECT_EQ(Mistake("k: int32"), "trailing@3");
  EXPECT_EQ(Mistake("k: list(int32)"), "list_close@8");
}

TEST(ParseAttr, SaysWhatToWrite) {
  EXPECT_EQ(Message("k: int32"), "'int32' is a data type, not an attr type: write {int32}, or type for any");
  EXPECT_EQ(Message("k: strin"), "'strin' is not an attr type; did you mean 'string'?");
  EXPECT_EQ(Message("k: {int3}"), "expected a data type, found 'int3'; did you mean 'int32' or 'int8'?");
  EXPECT_EQ(Message("k:"), "the attr's type is missing");
}

TEST(ParseAttr, KnowsTheNameOfAnAttrThatIsRefused) {
  AttrDef attr;
  AttrPlaces places;
  EXPECT_TRUE(ParseAttr("T: typ", &attr, &places));
  EXPECT_EQ(attr.name, "T");
}

TEST(ParseAttr, RemembersWhereItsPartsStand) {
  AttrDef attr;
  AttrPlaces places;
  EXPECT_FALSE(ParseAttr("n: int >= 2 = 3", &attr, &places));
  EXPECT_EQ(places.minimum, 10u);
  EXPECT_EQ(places.default_value, 14u);
}

}  // namespace
}  // namespace opsrun::host::spec

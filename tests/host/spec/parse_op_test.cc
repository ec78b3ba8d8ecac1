// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_op.h"

#include <gtest/gtest.h>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

TEST(ParseOp, ReadsAnOpWhoseAttrIsDeclaredAfterItsUse) {
  OpDef op = MakeOp({"T: {float, int32} = DT_FLOAT", "preserve_index: int = 0"}, {"to_zero: T"}, {"zeroed: T"});
  EXPECT_EQ(SignatureText(op), "Op(to_zero: T) -> (zeroed: T); T: {float32, int32} = float32, preserve_index: int = 0");
}

TEST(ParseOp, GivesLengthsAMinimumOfOne) {
  OpDef op = MakeOp({"N: int", "TL: list(type)", "M: int >= 0", "k: int"}, {"a: N * float", "b: TL"}, {"c: M * int32"});
  EXPECT_EQ(op.FindAttr("N")->minimum, 1);
  EXPECT_EQ(op.FindAttr("TL")->minimum, 1);
  EXPECT_EQ(op.FindAttr("M")->minimum, 0);
  EXPECT_EQ(op.FindAttr("k")->minimum, std::nullopt);
}

TEST(ParseOp, MakesAnOpWithAResourceStateful) {
  EXPECT_TRUE(MakeOp({}, {"r: resource"}, {}).stateful());
  EXPECT_TRUE(MakeOp({}, {}, {"r: Ref(resource)"}).stateful());
  EXPECT_FALSE(MakeOp({"T: type"}, {"r: T"}, {}).stateful());
  EXPECT_FALSE(MakeOp({}, {"r: variant"}, {}).stateful());
}

TEST(ParseOp, TakesOverWhatIsNotParsed) {
  OpStrings strings = Strings({}, {}, {});
  strings.control_outputs = {"done"};
  strings.flags = OPSRUN_OP_COMMUTATIVE;
  strings.deprecated_version = 7;
  strings.deprecated_text = "use Op2";
  strings.doc = "Does it.";
  OpDef op;
  ASSERT_TRUE(ParseOp(strings, &op).empty());
  EXPECT_EQ(op.control_outputs, Specs{"done"});
  EXPECT_EQ(op.flags, OPSRUN_OP_COMMUTATIVE);
  EXPECT_EQ(op.deprecated_version, 7u);
  EXPECT_EQ(op.deprecated_text, "use Op2");
  EXPECT_EQ(op.summary, "Does it.");
}

TEST(ParseOp, FindsEveryMistakeInOneGo) {
  OpStrings strings = Strings({"T: typ", "n: int >= x"}, {"X: T", "y: U"}, {"z: T"});
  EXPECT_EQ(Mistakes(strings), (Specs{"parse/type", "parse/minimum", "parse/name", "parse/unknown_attr"}));
}

TEST(ParseOp, DoesNotBlameAnArgumentForItsAttr) {
  EXPECT_EQ(Mistakes(Strings({"T: typ"}, {"x: T"}, {})), Specs{"parse/type"});
}

TEST(ParseOp, RefusesADocThatNamesNothing) {
  OpStrings strings = Strings({}, {"x: float"}, {});
  strings.doc = "Sums.\ny: what?";
  EXPECT_EQ(Mistakes(strings), Specs{"parse/doc_name"});
}

Specs NameMistakes(const std::string& name) {
  OpStrings strings = Strings({}, {}, {});
  strings.name = name;
  return Mistakes(strings);
}

Specs AttrMistakes(const std::string& attr) {
  return Mistakes(Strings({attr}, {}, {}));
}

TEST(ValidateOp, TakesNamesWithNameSpaces) {
  for (const char* name : {"Pad", "Conv2D", "Hash_Table", "Addons>Resampler", "A>B>C", "_hidden"}) {
    EXPECT_EQ(NameMistakes(name), Specs{}) << name;
  }
}

TEST(ValidateOp, RefusesOtherNames) {
  for (const char* name : {"", "pad", "2D", "Pad!", "A>", "A>b", ">A", "A>>B", "Pad "}) {
    EXPECT_EQ(NameMistakes(name), Specs{"validate/op_name"}) << name;
  }
}

TEST(ValidateOp, RefusesAttrsNamedLikeDataTypes) {
  for (const char* attr : {"double: int", "float32: int", "half_ref: int"}) {
    EXPECT_EQ(AttrMistakes(attr), Specs{"validate/attr_named_like_type"}) << attr;
  }
  EXPECT_EQ(AttrMistakes("int: int"), Specs{});
}

TEST(ValidateOp, HoldsDefaultsToTheirAttr) {
  EXPECT_EQ(AttrMistakes("n: int >= 3 = 2"), Specs{"validate/default_below_minimum"});
  EXPECT_EQ(AttrMistakes("n: list(int) >= 2 = [5]"), Specs{"validate/default_below_minimum"});
  EXPECT_EQ(AttrMistakes("T: {int32} = DT_FLOAT"), Specs{"validate/default_not_allowed"});
  EXPECT_EQ(AttrMistakes("s: list({'a'}) = ['a', 'b']"), Specs{"validate/default_not_allowed"});
  EXPECT_EQ(AttrMistakes("T: type = DT_FLOAT_REF"), Specs{"validate/ref_type_value"});
  EXPECT_EQ(AttrMistakes("T: type = DT_INVALID"), Specs{"validate/not_a_type"});
  EXPECT_EQ(AttrMistakes("T: type = 2147483647"), Specs{"validate/not_a_type"});
}

TEST(ValidateOp, RefusesListsShorterThanNothing) {
  EXPECT_EQ(AttrMistakes("l: list(int) >= -1"), Specs{"validate/list_minimum_negative"});
  EXPECT_EQ(AttrMistakes("n: int >= -1"), Specs{});
}

TEST(ValidateOp, GivesNamesOnce) {
  EXPECT_EQ(Mistakes(Strings({"x: int"}, {"x: float"}, {})), Specs{"validate/duplicate_name"});
  EXPECT_EQ(Mistakes(Strings({}, {"x: float"}, {"x: float"})), Specs{"validate/duplicate_name"});
  EXPECT_EQ(Mistakes(Strings({"x: int", "x: int"}, {}, {})), Specs{"validate/duplicate_name"});
}

TEST(ValidateOp, WantsLengthsThatAreInts) {
  EXPECT_EQ(Mistakes(Strings({}, {"x: M * float"}, {})), Specs{"validate/no_length_attr"});
  EXPECT_EQ(Mistakes(Strings({"M: string"}, {"x: M * float"}, {})), Specs{"validate/length_attr_not_int"});
  EXPECT_EQ(Mistakes(Strings({"M: list(int)"}, {"x: M * float"}, {})), Specs{"validate/length_attr_not_int"});
  EXPECT_EQ(Mistakes(Strings({"M: int >= -1"}, {"x: M * float"}, {})), Specs{"validate/length_minimum_negative"});
  EXPECT_EQ(Mistakes(Strings({"M: int", "TL: list(type)"}, {"x: M * TL"}, {})), Specs{"validate/number_and_list"});
}

TEST(ValidateOp, CountsTheImplicitMinimumOfALength) {
  EXPECT_EQ(Mistakes(Strings({"N: int = 0"}, {"x: N * float"}, {})), Specs{"validate/default_below_minimum"});
  EXPECT_EQ(Mistakes(Strings({"N: int >= 0 = 0"}, {"x: N * float"}, {})), Specs{});
}

TEST(ValidateOp, WantsReferencesWrittenRef) {
  EXPECT_EQ(Mistakes(Strings({}, {"x: float_ref"}, {})), Specs{"validate/ref_type_value"});
}

TEST(ValidateOp, FindsOneMistakeAString) {
  EXPECT_EQ(Mistakes(Strings({"double: int >= 3 = 2", "n: int >= 3 = 2"}, {"n: float"}, {})),
            (Specs{"validate/attr_named_like_type", "validate/default_below_minimum", "validate/duplicate_name"}));
}

}  // namespace
}  // namespace opsrun::host::spec

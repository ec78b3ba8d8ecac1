// SPDX-License-Identifier: Apache-2.0
#include "host/spec/validate_op.h"

#include <gtest/gtest.h>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

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

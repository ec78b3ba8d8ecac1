// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_op.h"

#include <gtest/gtest.h>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

TEST(ParseOp, ReadsAnOpAndGivesLengthsAMinimumOfOne) {
  EXPECT_EQ(
      SignatureText(MakeOp({"T: {float, int32} = DT_FLOAT", "preserve_index: int = 0"}, {"to_zero: T"}, {"zeroed: T"})),
      "Op(to_zero: T) -> (zeroed: T); T: {float32, int32} = float32, preserve_index: int = 0");
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
  EXPECT_EQ(Mistakes(Strings({"T: typ", "n: int >= x"}, {"X: T", "y: U"}, {"z: T"})),
            (Specs{"parse/type", "parse/minimum", "parse/name", "parse/unknown_attr"}));
  EXPECT_EQ(Mistakes(Strings({"T: typ"}, {"x: T"}, {})), Specs{"parse/type"});
  OpStrings strings = Strings({}, {"x: float"}, {});
  strings.doc = "Sums.\ny: what?";
  EXPECT_EQ(Mistakes(strings), Specs{"parse/doc_name"});
}

TEST(ValidateOp, TakesNamesWithNameSpacesAndNoOthers) {
  OpStrings strings = Strings({}, {}, {});
  for (const char* name : {"Pad", "Conv2D", "Hash_Table", "Addons>Resampler", "A>B>C", "_hidden"}) {
    strings.name = name;
    EXPECT_EQ(Mistakes(strings), Specs{}) << name;
  }
  for (const char* name : {"", "pad", "2D", "Pad!", "A>", "A>b", ">A", "A>>B", "Pad "}) {
    strings.name = name;
    EXPECT_EQ(Mistakes(strings), Specs{"validate/op_name"}) << name;
  }
}

TEST(ValidateOp, ChecksAttrs) {
  for (const char* good : {"int: int", "n: int >= -1"}) EXPECT_EQ(Mistakes(Strings({good}, {}, {})), Specs{}) << good;
  for (const auto& [attr, mistake] :
       {std::pair("double: int", "attr_named_like_type"), std::pair("float32: int", "attr_named_like_type"),
        std::pair("half_ref: int", "attr_named_like_type"), std::pair("n: int >= 3 = 2", "default_below_minimum"),
        std::pair("n: list(int) >= 2 = [5]", "default_below_minimum"),
        std::pair("T: {int32} = DT_FLOAT", "default_not_allowed"),
        std::pair("s: list({'a'}) = ['a', 'b']", "default_not_allowed"),
        std::pair("T: type = DT_FLOAT_REF", "ref_type_value"), std::pair("T: type = DT_INVALID", "not_a_type"),
        std::pair("T: type = 2147483647", "not_a_type"), std::pair("l: list(int) >= -1", "list_minimum_negative")})
    EXPECT_EQ(Mistakes(Strings({attr}, {}, {})), Specs{std::string("validate/") + mistake}) << attr;
}

TEST(ValidateOp, ChecksNamesLengthsAndReferences) {
  EXPECT_EQ(Mistakes(Strings({"x: int"}, {"x: float"}, {})), Specs{"validate/duplicate_name"});
  EXPECT_EQ(Mistakes(Strings({}, {"x: float"}, {"x: float"})), Specs{"validate/duplicate_name"});
  EXPECT_EQ(Mistakes(Strings({"x: int", "x: int"}, {}, {})), Specs{"validate/duplicate_name"});
  EXPECT_EQ(Mistakes(Strings({}, {"x: M * float"}, {})), Specs{"validate/no_length_attr"});
  EXPECT_EQ(Mistakes(Strings({"M: string"}, {"x: M * float"}, {})), Specs{"validate/length_attr_not_int"});
  EXPECT_EQ(Mistakes(Strings({"M: list(int)"}, {"x: M * float"}, {})), Specs{"validate/length_attr_not_int"});
  EXPECT_EQ(Mistakes(Strings({"M: int >= -1"}, {"x: M * float"}, {})), Specs{"validate/length_minimum_negative"});
  EXPECT_EQ(Mistakes(Strings({"M: int", "TL: list(type)"}, {"x: M * TL"}, {})), Specs{"validate/number_and_list"});
  EXPECT_EQ(Mistakes(Strings({"N: int = 0"}, {"x: N * float"}, {})), Specs{"validate/default_below_minimum"});
  EXPECT_EQ(Mistakes(Strings({"N: int >= 0 = 0"}, {"x: N * float"}, {})), Specs{});
  EXPECT_EQ(Mistakes(Strings({}, {"x: float_ref"}, {})), Specs{"validate/ref_type_value"});
  EXPECT_EQ(Mistakes(Strings({"double: int >= 3 = 2", "n: int >= 3 = 2"}, {"n: float"}, {})),
            (Specs{"validate/attr_named_like_type", "validate/default_below_minimum", "validate/duplicate_name"}));
}

}  // namespace
}  // namespace opsrun::host::spec

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

}  // namespace
}  // namespace opsrun::host::spec

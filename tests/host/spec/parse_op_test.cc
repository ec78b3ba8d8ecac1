// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_op.h"

#include <gtest/gtest.h>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

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
  EXPECT_EQ(Mistakes(Strings({"double: int >= 3 = 2", "n: int >= 3 = 2"}, {"n: float"}, {})),
            (Specs{"validate/attr_named_like_type", "validate/default_below_minimum", "validate/duplicate_name"}));
  OpStrings strings = Strings({}, {"x: float"}, {});
  strings.doc = "Sums.\ny: what?";
  EXPECT_EQ(Mistakes(strings), Specs{"parse/doc_name"});
}

TEST(ParseOp, RefusesNumbersOfNoDataType) {
  for (const char* attr : {"T: type = DT_INVALID", "T: type = 2147483647"})
    EXPECT_EQ(Mistakes(Strings({attr}, {}, {})), Specs{"validate/not_a_type"}) << attr;
}

}  // namespace
}  // namespace opsrun::host::spec

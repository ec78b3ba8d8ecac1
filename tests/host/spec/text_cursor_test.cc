// SPDX-License-Identifier: Apache-2.0
#include "host/spec/text_cursor.h"

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

TEST(TextCursor, TakesOnlyWhatIsThere) {
  TextCursor cursor(">= 3");
  EXPECT_FALSE(cursor.Take('='));
  EXPECT_TRUE(cursor.Take(">="));
  EXPECT_EQ(cursor.offset(), 2u);
  EXPECT_FALSE(cursor.Take(" 3 "));
  EXPECT_EQ(cursor.Rest(), " 3");
  EXPECT_EQ(TextCursor("a_1-b").TakeName(), "a_1");
  for (const char* other : {"_a", "1a", "\xC3\xA9t\xC3\xA9"}) EXPECT_EQ(TextCursor(other).TakeName(), "") << other;
  TextCursor empty("");
  EXPECT_TRUE(empty.AtEnd());
  EXPECT_EQ(empty.Peek(), '\0');
  EXPECT_FALSE(empty.Take('\0'));
}

TEST(TextCursor, SkipsBlanksAndComments) {
  TextCursor blanks(" \t\r\n\v\f x");
  blanks.SkipBlanks();
  EXPECT_EQ(blanks.Peek(), 'x');
  TextCursor cursor("# one\n  # two\nx # three");
  cursor.SkipBlanksAndComments();
  EXPECT_TRUE(cursor.Take('x'));
  cursor.SkipBlanksAndComments();
  EXPECT_TRUE(cursor.AtEnd());
}

TEST(TextCursor, SaysWhatIsWrongAndWhereAsNoTerminalActsOn) {
  EXPECT_EQ(TextCursor("int32 x").Found(), "'int32'");
  EXPECT_EQ(TextCursor("≥1").Found(), "'≥'");
  EXPECT_EQ(TextCursor("").Found(), "the end");
  EXPECT_EQ(TextCursor("\x1B[2J").Found(), "character 27");
  TextCursor cursor("int32 x");
  EXPECT_FALSE(cursor.RefuseUnexpected("'{'"));
  EXPECT_EQ(cursor.problem(), "expected '{', found 'int32'");
  EXPECT_FALSE(cursor.RefuseAt(6, "no x"));
  EXPECT_EQ(cursor.problem(), "no x");
  EXPECT_EQ(cursor.offset(), 6u);
}

TEST(SpecErrorsText, ShowsEverySpecAndACaretAlsoInOddOnes) {
  OpDef op;
  EXPECT_EQ(SpecErrorsText("Op", ParseOp(Strings({"T: {float, int3}", "n int"}, {"X: float"}, {}), &op)),
            "op 'Op', Attr: expected a data type, found 'int3'; did you mean 'int32' or 'int8'?\n"
            "    T: {float, int3}\n"
            "               ^\n"
            "op 'Op', Attr: expected ':' after the attr's name, found 'int'\n"
            "    n int\n"
            "      ^\n"
            "op 'Op', Input: it must begin with a name of lower-case letters, digits and '_': \"name: TYPE\"\n"
            "    X: float\n"
            "    ^\n");
  const auto text = [](const std::string& spec, size_t offset) {
    return SpecErrorsText("Op", {{"parse", "trailing", "Attr", spec, offset, "m"}});
  };
  EXPECT_EQ(text("s:\tstring = 'é' x", 17), "op 'Op', Attr: m\n    s:\\tstring = 'é' x\n                     ^\n");
  EXPECT_EQ(text(std::string(100000, 'a'), 50000),
            "op 'Op', Attr: m\n    ..." + std::string(100, 'a') + "...\n    " + std::string(63, ' ') + "^\n");
  EXPECT_EQ(text("ab", 99), "op 'Op', Attr: m\n    ab\n      ^\n");
  EXPECT_EQ(SpecErrorsText("\x1B[2J", {{"validate", "op_name", "op", "\x1B[2J", 0, "m"}}),
            "op '\\x1b[2J': m\n    \\x1b[2J\n    ^\n");
}

}  // namespace
}  // namespace opsrun::host::spec

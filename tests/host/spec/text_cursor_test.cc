// SPDX-License-Identifier: Apache-2.0
#include "host/spec/text_cursor.h"

#include <gtest/gtest.h>

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
}

TEST(TextCursor, TakesNamesThatBeginWithALetter) {
  EXPECT_EQ(TextCursor("a_1-b").TakeName(), "a_1");
  EXPECT_EQ(TextCursor("_a").TakeName(), "");
  EXPECT_EQ(TextCursor("1a").TakeName(), "");
  EXPECT_EQ(TextCursor("\xC3\xA9t\xC3\xA9").TakeName(), "");
}

TEST(TextCursor, SkipsBlanksOfEveryKind) {
  TextCursor cursor(" \t\r\n\v\f x");
  cursor.SkipBlanks();
  EXPECT_EQ(cursor.Peek(), 'x');
}

TEST(TextCursor, SkipsCommentsToTheEndOfTheirLine) {
  TextCursor cursor("# one\n  # two\nx # three");
  cursor.SkipBlanksAndComments();
  EXPECT_TRUE(cursor.Take('x'));
  cursor.SkipBlanksAndComments();
  EXPECT_TRUE(cursor.AtEnd());
}

TEST(TextCursor, StandsStillAtTheEnd) {
  TextCursor cursor("");
  EXPECT_TRUE(cursor.AtEnd());
  EXPECT_EQ(cursor.Peek(), '\0');
  EXPECT_FALSE(cursor.Take('\0'));
}

TEST(TextCursor, ShowsAWordOrACharacter) {
  EXPECT_EQ(TextCursor("int32 x").Found(), "'int32'");
  EXPECT_EQ(TextCursor("\xE2\x89\xA5"
                       "1")
                .Found(),
            "'\xE2\x89\xA5'");
  EXPECT_EQ(TextCursor("").Found(), "the end");
}

TEST(TextCursor, ShowsNoCharacterThatATerminalActsOn) {
  EXPECT_EQ(TextCursor("\x1B[2J").Found(), "character 27");
}

TEST(TextCursor, SaysWhatIsWrongAndWhere) {
  TextCursor cursor("int32 x");
  EXPECT_FALSE(cursor.RefuseUnexpected("'{'"));
  EXPECT_EQ(cursor.problem(), "expected '{', found 'int32'");
  EXPECT_FALSE(cursor.RefuseAt(6, "no x"));
  EXPECT_EQ(cursor.problem(), "no x");
  EXPECT_EQ(cursor.offset(), 6u);
}

using Kind = SpecError::Kind;
using Stage = SpecError::Stage;

TEST(SpecErrorsText, ShowsTheSpecAndACaret) {
  OpDef op;
  EXPECT_EQ(SpecErrorsText("Op", ParseOp(Strings({"T: {float, int3}"}, {}, {}), &op)),
            "op 'Op', Attr: expected a data type, found 'int3'; did you mean 'int32' or 'int8'?\n"
            "    T: {float, int3}\n"
            "               ^\n");
}

TEST(SpecErrorsText, ShowsEveryError) {
  OpDef op;
  EXPECT_EQ(SpecErrorsText("Op", ParseOp(Strings({"n int"}, {"X: float"}, {}), &op)),
            "op 'Op', Attr: expected ':' after the attr's name, found 'int'\n"
            "    n int\n"
            "      ^\n"
            "op 'Op', Input: a name of lower-case letters, digits and '_' comes first: \"name: TYPE\"\n"
            "    X: float\n"
            "    ^\n");
}

TEST(SpecErrorsText, KeepsTheCaretInPlaceBesideOddCharacters) {
  const SpecError error = {Stage::kParse, Kind::kTrailing, "Attr", "s:\tstring = '\xC3\xA9' x", 17, "m"};
  EXPECT_EQ(SpecErrorsText("Op", {error}),
            "op 'Op', Attr: m\n"
            "    s:\\tstring = '\xC3\xA9' x\n"
            "                     ^\n");
}

TEST(SpecErrorsText, CutsLongSpecs) {
  const SpecError error = {Stage::kParse, Kind::kTrailing, "Attr", std::string(100000, 'a'), 50000, "m"};
  EXPECT_EQ(SpecErrorsText("Op", {error}),
            "op 'Op', Attr: m\n    ..." + std::string(100, 'a') + "...\n    " + std::string(63, ' ') + "^\n");
}

TEST(SpecErrorsText, SendsNoControlCharactersToTheTerminal) {
  const SpecError error = {Stage::kValidate, Kind::kOpName, "op", "\x1B[2J", 0, "m"};
  EXPECT_EQ(SpecErrorsText("\x1B[2J", {error}), "op '\\x1b[2J': m\n    \\x1b[2J\n    ^\n");
}

TEST(SpecErrorsText, SurvivesAnOffsetPastTheEnd) {
  EXPECT_EQ(SpecErrorsText("Op", {{Stage::kParse, Kind::kName, "Attr", "ab", 99, "m"}}),
            "op 'Op', Attr: m\n    ab\n      ^\n");
}

}  // namespace
}  // namespace opsrun::host::spec

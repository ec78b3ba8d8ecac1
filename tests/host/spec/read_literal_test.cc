// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "host/spec/parse_op.h"
#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// What the reader makes of the text, if it takes all of it.
template <typename T, typename Read>
std::optional<T> Whole(std::string_view text, Read read) {
  TextCursor cursor(text);
  T value{};
  if (!read(&cursor, &value)) {
    EXPECT_NE(cursor.problem(), "");
    return std::nullopt;
  }
  return cursor.AtEnd() ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> Int(std::string_view text) {
  return Whole<int64_t>(text, ReadInt<int64_t>);
}
std::optional<float> Float(std::string_view text) {
  return Whole<float>(text, ReadFloat<float>);
}
std::optional<bool> Bool(std::string_view text) {
  return Whole<bool>(text, ReadBool);
}
std::optional<DType> Type(std::string_view text) {
  return Whole<DType>(text, ReadType);
}
std::optional<std::string> String(std::string_view text) {
  return Whole<std::string>(text, ReadString);
}

TEST(ReadInt, ReadsSignedDecimalsInTheRangeOfItsField) {
  EXPECT_EQ(Int("-3"), -3);
  EXPECT_EQ(Int("+3"), 3);
  EXPECT_EQ(Int("08"), 8);
  EXPECT_EQ(Int("-9223372036854775808"), kMin);
  for (const char* text : {"", "2.0", "0x10", "00", "-007", "+-3", "1e3", "9223372036854775808", "'3'", "1_0"})
    EXPECT_FALSE(Int(text)) << text;
  TextCursor large("3000000000"), low("-2");
  int32_t narrow = 0;
  int64_t wide = 0;
  EXPECT_FALSE(ReadInt(&large, &narrow));
  EXPECT_EQ(large.problem(), "'3000000000' is out of range");
  EXPECT_EQ(large.offset(), 0u);
  EXPECT_FALSE(ReadIntFrom(int64_t{-1}, &low, &wide));
  EXPECT_EQ(low.problem(), "'-2' is out of range");
  EXPECT_EQ(Whole<uint64_t>("18446744073709551615", ReadInt<uint64_t>), std::numeric_limits<uint64_t>::max());
  EXPECT_FALSE(Whole<uint64_t>("-1", ReadInt<uint64_t>));
}

TEST(ReadFloat, ReadsWhatCReadsToTheLimitsOfFloat32) {
  for (const auto& [text, number] :
       {std::pair("5.", 5.f), std::pair(".5", .5f), std::pair("-2E1", -20.f), std::pair("0x1p3", 8.f),
        std::pair("-InF", -INFINITY), std::pair("1e99", INFINITY), std::pair("1e-99", 0.f), std::pair("0.1", 0.1f)})
    EXPECT_EQ(Float(text), number) << text;
  EXPECT_TRUE(std::isnan(*Float("nan")));
  for (const char* text : {"", "1f", "00.5", "'1'", "1,5", "one", "nan(1)"}) EXPECT_FALSE(Float(text)) << text;
}

TEST(ReadBool, KnowsSixWords) {
  for (const char* text : {"true", "True", "1"}) EXPECT_EQ(Bool(text), true) << text;
  for (const char* text : {"false", "False", "0"}) EXPECT_EQ(Bool(text), false) << text;
  for (const char* text : {"", "TRUE", "yes", "t", "2", "true1"}) EXPECT_FALSE(Bool(text)) << text;
}

TEST(ReadType, ReadsEnumWordsAndNumbers) {
  EXPECT_EQ(Type("DT_INT64"), DType::kInt64);
  EXPECT_EQ(Type("7"), DType::kString);
  EXPECT_EQ(Type("999"), DTypeFromNumber(999));
  EXPECT_FALSE(Type("DT_INT63"));
  EXPECT_FALSE(Type("99999999999"));
  TextCursor cursor("float");
  DType value = DType::kInvalid;
  EXPECT_FALSE(ReadType(&cursor, &value));
  EXPECT_EQ(cursor.problem(), "'float' is not a data type in a default: write DT_FLOAT");
}

TEST(ReadString, TakesEitherQuoteThatIsClosedAndKnowsCEscapes) {
  EXPECT_EQ(String("'a\"b'"), "a\"b");
  EXPECT_EQ(String("\"it's\""), "it's");
  EXPECT_EQ(String("''"), "");
  EXPECT_EQ(String("'a\nb'"), "a\nb");
  EXPECT_FALSE(String(""));
  EXPECT_FALSE(String("ab"));
  EXPECT_EQ(String(R"('\a\b\f\n\r\t\v\\\?\'\"')"), "\a\b\f\n\r\t\v\\?'\"");
  EXPECT_EQ(String(R"('\0\101\3770')"), std::string("\0A\3770", 4));
  EXPECT_EQ(String(R"('\x41\X0000042')"), "AB");
  EXPECT_EQ(String(R"('\u00e9\U0001F600')"), "\xC3\xA9\xF0\x9F\x98\x80");
  for (const char* text : {R"('\q')", R"('\x')", R"('\x414')", R"('\400')", R"('\u12')", R"('\ud800')",
                           R"('\U00110000')", R"('\x100000000000000041')"})
    EXPECT_FALSE(String(text)) << text;
  TextCursor cursor("'ab\\'");
  std::string value;
  EXPECT_FALSE(ReadString(&cursor, &value));
  EXPECT_EQ(cursor.problem(), "this quote is never closed");
  EXPECT_EQ(cursor.offset(), 0u);
}

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

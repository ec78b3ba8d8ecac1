// tests/host/yaml/read_yaml_test.cc: what is read and refused, and what scalars mean.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "host/yaml/value.h"
#include "tests/host/yaml/error_lines.h"

namespace opsrun::host {
namespace {

struct ReadText {
  explicit ReadText(const std::string& text) : value(ReadYaml({"g.yaml", text}, diagnostics)) {}

  Diagnostics diagnostics;
  std::optional<Value> value;
};

Lines Errors(const std::string& text) {
  return ErrorLines(ReadText(text).diagnostics);
}

std::string Places(const std::string& text) {
  return PlacesOf(ReadText(text).diagnostics);
}

struct Row {
  std::string text;
  const char* error;
};

// Errors whose words are in tests/graphs.
void ExpectPlaces(const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(Places(row.text), row.error) << row.text.substr(0, 100);
}

void ExpectErrors(const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(Errors(row.text), Lines{row.error}) << row.text.substr(0, 100);
}

Value Read(const std::string& text) {
  const ReadText read(text);
  EXPECT_TRUE(read.value.has_value()) << text;
  EXPECT_TRUE(read.diagnostics.all().empty());
  return read.value.value_or(Value());
}

TEST(ReadYaml, KeepsTheOrderOfKeysAndTheKindsOfValues) {
  const Value root = Read("b: 1\na: '1'\nc: [x, y]\nd:\n");
  ASSERT_EQ(root.entries.size(), 4u);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_FALSE(root.Find("b")->quoted);
  EXPECT_TRUE(root.Find("a")->quoted);
  EXPECT_EQ(root.Find("c")->items[1].text, "y");
  EXPECT_EQ(root.Find("d")->kind, Value::Kind::kNull);
  EXPECT_EQ(root.Find("e"), nullptr);
}

TEST(ReadYaml, KnowsWhereValuesEnd) {
  const struct {
    const char *what, *text, *place;
  } rows[] = {{"plain", "k: some words   # comment\n", "1:4-14"},
              {"plain", "k: a#b:c\n", "1:4-9"},
              {"plain", "k: first\n  second\nl: x\n", "1:4-2:9"},
              {"plain", "k: first\n  \"second\n", "1:4-2:10"},
              {"plain", "k: x\r\nl: y\r\n", "1:4-5"},
              {"in bytes", "{é: 1, k: {ü: 2}}\n", "1:12-19"},
              {"quoted", "k: 'it''s'  # c\n", "1:4-11"},
              {"quoted", "k: \"a \\\" b\"\n", "1:4-12"},
              {"quoted", "k: \"a\n\n  b\"\nl: 1\n", "1:4-3:5"},
              {"block", "k: |\n  a\n   [b\n\nl: 1\n", "1:4-3:6"},
              {"block", "m:\n  - k: >-\n      'a\n  - b\nk: |2\n   x\nl: y\n", "5:4-6:5"},
              {"list", "k: [1, [2, 3]]  \n", "1:4-15"},
              {"map", "k: &a {b: ']',\n  c: 2}\n", "1:4-2:8"},
              {"map", "k:\n  a: 1\n  b:\n    - x\n    - yy  # c\nl: 1\n", "2:3-5:9"},
              {"list", "k:\n- a\n- b\n", "2:1-3:4"}};
  for (const auto& row : rows) {
    const Value root = Read(row.text);
    ASSERT_NE(root.Find("k"), nullptr) << row.text;
    EXPECT_EQ(PlaceText(root.Find("k")->span), row.place) << row.what << ": " << row.text;
  }
}

TEST(ReadYaml, CopiesWhatAnAliasRepeatsAndPlacesItAtTheAlias) {
  const Value root = Read("a: &x [1, 2]\nb: *x\n");
  EXPECT_EQ(root.Find("b")->items.size(), 2u);
  EXPECT_EQ(PlaceText(root.Find("b")->span), "2:4-6");
  ExpectErrors(
      {{"a: &a [*a]\n", "1:8-10 G007 an alias is inside the value that it repeats; write the value out"},
       {"a: *b\n", "1:4-6 G006 no anchor is named 'b'; an anchor '&name' must come before its alias '*name'"}});
  Read("%YAML 1.2\n---\na: 1\n...\n");
}

TEST(ReadYaml, RefusesAnEmptyFileAndBytesThatAreNoText) {
  ExpectPlaces({{"# only a comment\n", "1:1-2 G011"}});
  EXPECT_EQ(Errors("a: \x04\n")[0].substr(0, 52), "1:4-5 G001 the control character 04 is not allowed; ");
  EXPECT_EQ(Errors("a: 1\rb: 2\n")[0].substr(0, 52), "1:5-6 G001 the control character 0d is not allowed; ");
  ExpectErrors(
      {{"a: \u2028\n",
        "1:4-5 G001 the control character 2028 is not allowed; write \"\\u2028\" in double quotes, or end lines "
        "with a line feed"},
       {"\xef\xbb\xbfopsrun: 1\n", "1:1-2 G001 the text begins with a byte order mark; save it as UTF-8 without one"}});
}

TEST(ReadYaml, RefusesTabsThatIndentOrAreReadAsSpaces) {
  const ReadText read("a:\n  b: 1\n\tc: 2\n  \td: 3\n");
  EXPECT_EQ(PlacesOf(read.diagnostics), "3:1-2 G002");
  EXPECT_EQ(read.diagnostics.all()[0].notes, Lines{"2 lines are indented with tabs"});
  EXPECT_EQ(Places("a: 1\n\tb: 2\n"), "2:1-2 G002") << "it would go on with the text above";
  Read("a: {\n\tb: 1}\t# c\n\t\n\t# comment\nc: 1\n");
  EXPECT_EQ(Places("a: |\n  b\n  \t\n  c\n"), "3:3-4 G002") << "spaces in an empty line of a text after '|' count";
  EXPECT_EQ(Read("a: |\n  b\n  \tc\n\t# c\n").Find("a")->text, "b\n\tc\n");
}

TEST(ReadYaml, RefusesQuotesAndBracketsThatDoNotMatch) {
  ExpectPlaces({{"a: [\"x]\n", "1:5-6 G003"}, {"a: \"x\\\"", "1:4-5 G003"}, {"a: [[1], 2\nb: [3]\n", "1:4-5 G004"}});
  ExpectErrors({{"a:\n  b: 'x\n  c: 'y'\n", "2:6-7 G003 the quote ' is never closed; add a closing '"},
                {"a: }\n", "1:4-5 G004 '}' closes nothing; remove it, or add the opening bracket"}});
}

TEST(ReadYaml, SurvivesDeepNesting) {
  std::string indented, dashes;
  for (int i = 0; i < 1000; ++i) indented += std::string(i, ' ') + "a:\n";
  for (int i = 0; i < 100000; ++i) dashes += "- ";
  const std::string begin(40, '['), end(40, ']');
  ExpectPlaces({{"a: " + std::string(100000, '['), "1:83-84 G005"},
                {dashes, "1:161-162 G005"},
                {"a: &a " + begin + end + "\nb: " + begin + "*a" + end, "2:44-46 G005"}});
  for (const std::string& text : {indented, std::string(100000, '{')}) EXPECT_EQ(Errors(text).size(), 1u);
  Read("- " + std::string(200000, '-'));
  Read("a: " + std::string(63, '[') + std::string(63, ']'));
}

TEST(ReadYaml, LimitsWhatAliasesStandForAndAnchorsKeep) {
  std::string aliases, values, begin, end;
  for (int i = 0; i < 1000; ++i) aliases += "*a, ";
  for (int i = 0; i < 50'000; ++i) values += "1,";
  // Each anchor keeps what it marks, so anchors around one another would keep it many times.
  for (int i = 0; i < 60; ++i) begin += "&a" + std::to_string(i) + " [", end += "]";
  for (const auto& [text, error] :
       {std::pair("a: &a " + std::string(100'000, 'x') + "\nb: [" + aliases + "]\n",
                  "the aliases expand to more than 16777216 bytes"),
        std::pair("a: " + begin + values + end, "the anchors up to here mark too many values")}) {
    const Lines errors = Errors(text);
    ASSERT_EQ(errors.size(), 1u) << error;
    EXPECT_NE(errors[0].find(std::string("G007 ") + error), std::string::npos) << errors[0];
  }
  const std::string large = "a: &a [" + values + values + values + "]\n";
  EXPECT_EQ(Read(large).entries[0].value.items.size(), 150'000u) << "nobody repeats it";
  EXPECT_EQ(Errors(large + "b: *a\n").size(), 1u);
}

TEST(ReadYaml, ReadsStringsOfAnyBytes) {
  const Value root = Read("- !!binary //4=\n- !!binary 'aGk='\n- !!binary |\n  AP\n  8A\n- !!binary\n");
  EXPECT_EQ(root.items[0].kind, Value::Kind::kBytes);
  EXPECT_EQ(root.items[0].text, "\xff\xfe");
  EXPECT_EQ(root.items[1].kind, Value::Kind::kScalar);
  EXPECT_TRUE(root.items[1].quoted);
  EXPECT_EQ(root.items[1].text, "hi");
  EXPECT_EQ(root.items[2].text, std::string("\0\xff\0", 3));
  EXPECT_EQ(AsString(root.items[3]), "");
}

TEST(ReadYaml, RefusesKeysThatAreNoTexts) {
  const std::string help = "; put the key in quotes";
  for (const auto& [text, error] :
       {std::pair("!!binary /w==: 1\n", "1:1-14 G012 a key must be a string, found bytes"),
        std::pair("{{a: 1}: 2}\n", "1:2-3 G012 a key must be a string, found a map"),
        std::pair("a: 1\n: 2\n", "2:1-2 G012 a key must be a string, found nothing"),
        std::pair("~: 2\n", "1:1-2 G012 a key must be a string, found nothing"),
        std::pair("a: &x 1\n*x : 2\n", "2:1-3 G012 a key must be a string, found an alias")})
    EXPECT_EQ(Errors(text), Lines{error + help});
}

TEST(ReadYaml, RefusesKeysWithoutAValueInBraces) {
  ExpectErrors(
      {{"opsrun: 1\nx-a: {b:1}\n", "2:7-10 G006 the key 'b:1' has no value; put a space after the ':'"},
       {"opsrun: 1\nx-a: {b: f(2,3)}\n",
        "2:14-16 G006 the key '3)' has no value; write 'key: value', and put text that contains ',' in quotes"}});
  Read("a: {b: ~, c: null}\n");
  Read("a: {b: , c: [1, 2], 'd' : }\n");
}

TEST(ReadYaml, ShowsAnEmptyItemByItsDash) {
  const Value root = Read("a:\n  - x\n  -\n\n  # - c\nb:\n- - \n  -\n-\nc: 1\n");
  EXPECT_EQ(PlaceText(root.Find("a")->items[1].span), "3:3-4");
  const Value& b = *root.Find("b");
  EXPECT_EQ(PlaceText(b.items[0].items[0].span), "7:3-4");
  EXPECT_EQ(PlaceText(b.items[0].items[1].span), "8:3-4");
  EXPECT_EQ(PlaceText(b.items[1].span), "9:1-2");
}

TEST(ReadYaml, SaysInPlainWordsWhatTheParserRefuses) {
  const std::string key(1100, 'k');
  const std::string too_long =
      " G006 a key takes more than 1024 characters; shorten it, or write '? key' and ': value' on two "
      "lines";
  ExpectPlaces({{"a:\n   b: 1\n  c: 2\n", "3:3-4 G006"}, {"[a]\nb: 1\n", "2:1-2 G006"}});
  ExpectErrors({{"a: - b\n",
                 "1:4-5 G006 a list cannot start here with '-'; begin each item on a line of its own, or write [a, b]"},
                {"a: [1 2\n b: 3]\n", "2:3-4 G006 unexpected ':' in these brackets; separate values with ','"},
                {"a: @x\n", "1:4-5 G006 '@' cannot begin a value; put the text in quotes"},
                {"a: \"\\q\"\n",
                 "1:5-6 G006 invalid escape in double quotes: '\\q'; write a backslash as \\\\, or use single quotes"},
                {"a: 1\nb\nc: 2\n",
                 "2:1-2 G006 a ':' is missing in this line; write 'key: value', or indent the line if it continues the "
                 "one above"},
                {"a: {b:}\n", "1:6-7 G006 there is no key before this ':'; put a space after the ':'"},
                {"'" + key + "': 1\n", ("1:1-2" + too_long).c_str()},
                {"a: 1\n" + key + ": 1\n", ("2:1-2" + too_long).c_str()},
                {"a: {\"" + key + "\": 1}\n", ("1:5-6" + too_long).c_str()}});
  EXPECT_EQ(Read("? " + key + "\n: 1\n").entries[0].key, key);
}

TEST(ReadYaml, ReadsCharactersThatJsonWritesAsTwoEscapes) {
  const Value root = Read(
      "{\"a\": \"\\ud83d\\ude00 x \\uD83D\\uDE01\", 'b': '\\ud83d\\ude00', \"\\ud834\\udd1e\": 1, \"d\": "
      "\"\\\\ud83d\"}\n");
  EXPECT_EQ(root.entries[0].value.text, "\U0001F600 x \U0001F601");
  EXPECT_EQ(root.entries[1].value.text, "\\ud83d\\ude00");
  EXPECT_EQ(root.entries[2].key, "\U0001D11E");
  EXPECT_EQ(root.entries[3].value.text, "\\ud83d");
  EXPECT_EQ(PlaceText(root.entries[1].value.span), "1:43-57");
  for (const std::string half : {"\\ud83d", "\\ude00", "\\ud83dx"})
    EXPECT_EQ(Errors("a: \"" + half + "\"\n")[0].substr(0, 51),
              "1:5-6 G006 invalid escape in double quotes: '" + half.substr(0, 6));
}

TEST(ReadYaml, FindsADuplicateAmongManyKeys) {
  std::string many = "opsrun: 1\nnodes:\n";
  for (int i = 0; i < 3000; ++i) many += "  n" + std::to_string(i % 2999) + ": {op: A}\n";
  EXPECT_EQ(Places(many), "3002:3-5 G103");
}

TEST(AsBool, KnowsYaml12OnlyAndNotYesNoOnOff) {
  for (const char* text : {"true", "True", "TRUE"}) EXPECT_EQ(AsBool(PlainValue(text)), true);
  for (const char* text : {"false", "False", "FALSE"}) EXPECT_EQ(AsBool(PlainValue(text)), false);
  for (const char* text : {"yes", "no", "on", "off", "y", "tRUE", "1"})
    EXPECT_EQ(AsBool(PlainValue(text)), std::nullopt);
  EXPECT_EQ(AsBool(StringValue("true")), std::nullopt);
}

TEST(AsIntAndAsUint, ReadDecimalHexAndOctalOf64Bits) {
  for (const auto& [text, number] :
       {std::pair("42", int64_t{42}), std::pair("+7", int64_t{7}), std::pair("0x1F", int64_t{31}),
        std::pair("0o17", int64_t{15}), std::pair("010", int64_t{10}),
        std::pair("9223372036854775807", std::numeric_limits<int64_t>::max()),
        std::pair("-9223372036854775808", std::numeric_limits<int64_t>::min())})
    EXPECT_EQ(AsInt(PlainValue(text)), number) << text;
  for (const char* text : {"-0x10", "9223372036854775808", "-9223372036854775809", "", "-", "1.0", "1e3", "1_000", " 1",
                           "1 ", "0x", "0xg", "--1", "1-"})
    EXPECT_EQ(AsInt(PlainValue(text)), std::nullopt) << text;
  EXPECT_EQ(AsInt(StringValue("1")), std::nullopt);
  EXPECT_EQ(AsUint(PlainValue("18446744073709551615")), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(AsUint(PlainValue("-0")), 0u);
  for (const char* text : {"18446744073709551616", "-1"}) EXPECT_EQ(AsUint(PlainValue(text)), std::nullopt) << text;
}

TEST(AsFloat, ReadsTheNumbersOfYaml12) {
  for (const auto& [text, number] :
       {std::pair("1.5", 1.5), std::pair("-.5", -0.5), std::pair("+1.", 1.0), std::pair("1e3", 1000.0),
        std::pair("2E-1", 0.2), std::pair("7", 7.0), std::pair("0x10", 16.0), std::pair("-.inf", -HUGE_VAL),
        std::pair("1e400", HUGE_VAL), std::pair("-1e400", -HUGE_VAL), std::pair("1e-400", 0.0)})
    EXPECT_EQ(AsFloat(PlainValue(text)), number) << text;
  EXPECT_TRUE(std::isnan(AsFloat(PlainValue(".NaN")).value()));
  for (const char* text : {"", ".", "e1", "1e", "1e+", "inf", "nan", "-.nan", "1.2.3", "1f", "0x1p3"})
    EXPECT_EQ(AsFloat(PlainValue(text)), std::nullopt) << text;
}

TEST(AsString, IsWhatIsNoOtherScalar) {
  for (const char* text : {"no", "1x"}) EXPECT_EQ(AsString(PlainValue(text)), text);
  EXPECT_EQ(AsString(StringValue("1")), "1");
  for (const Value& value : {PlainValue("1"), PlainValue("true"), Value()}) EXPECT_EQ(AsString(value), std::nullopt);
}

TEST(KindText, NamesWhatAValueIs) {
  for (const auto& [value, text] :
       {std::pair(Value(), "nothing"), std::pair(ListValue(), "a list"), std::pair(MapValue(), "a map"),
        std::pair(PlainValue("false"), "a boolean"), std::pair(PlainValue("18446744073709551615"), "an integer"),
        std::pair(PlainValue("1.0"), "a decimal number"), std::pair(StringValue("1.0"), "a string")})
    EXPECT_EQ(KindText(value), text);
}

}  // namespace
}  // namespace opsrun::host

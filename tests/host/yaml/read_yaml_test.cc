// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/read_yaml.h"

#include <gtest/gtest.h>

#include "host/yaml/scalar.h"
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

Value Read(const std::string& text) {
  Diagnostics diagnostics;
  std::optional<Value> value = ReadYaml({"g.yaml", text}, diagnostics);
  EXPECT_TRUE(value.has_value()) << text;
  EXPECT_TRUE(diagnostics.all().empty());
  return value ? *value : Value();
}

std::string PlaceOf(const std::string& text, std::string_view key) {
  const Value root = Read(text);
  const Value* value = root.Find(key);
  return value == nullptr ? "none" : PlaceText(value->span);
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

TEST(ReadYaml, KnowsWherePlainValuesEnd) {
  EXPECT_EQ(PlaceOf("k: some words   # comment\n", "k"), "1:4-14");
  EXPECT_EQ(PlaceOf("k: a#b:c\n", "k"), "1:4-9");
  EXPECT_EQ(PlaceOf("k: first\n  second\nl: x\n", "k"), "1:4-2:9");
  EXPECT_EQ(PlaceOf("k: first\n  \"second\n", "k"), "1:4-2:10");
  EXPECT_EQ(PlaceOf("k: x\r\nl: y\r\n", "k"), "1:4-5");
}

TEST(ReadYaml, CountsColumnsInBytes) {
  EXPECT_EQ(PlaceOf("é: {ü: 1, k: 2}\n", "é"), "1:5-18");
}

TEST(ReadYaml, KnowsWhereQuotedValuesEnd) {
  EXPECT_EQ(PlaceOf("k: 'it''s'  # c\n", "k"), "1:4-11");
  EXPECT_EQ(PlaceOf("k: \"a \\\" b\"\n", "k"), "1:4-12");
  EXPECT_EQ(PlaceOf("k: \"a\n\n  b\"\nl: 1\n", "k"), "1:4-3:5");
}

TEST(ReadYaml, KnowsWhereBlockTextsEnd) {
  EXPECT_EQ(PlaceOf("k: |\n  a\n   [b\n\nl: 1\n", "k"), "1:4-3:6");
  EXPECT_EQ(PlaceOf("m:\n  - k: >-\n      'a\n  - b\nk: |2\n   x\nl: y\n", "k"), "5:4-6:5");
}

TEST(ReadYaml, KnowsWhereListsAndMapsEnd) {
  EXPECT_EQ(PlaceOf("k: [1, [2, 3]]  \n", "k"), "1:4-15");
  EXPECT_EQ(PlaceOf("k: &a {b: ']',\n  c: 2}\n", "k"), "1:4-2:8");
  EXPECT_EQ(PlaceOf("k:\n  a: 1\n  b:\n    - x\n    - yy  # c\nl: 1\n", "k"), "2:3-5:9");
  EXPECT_EQ(PlaceOf("k:\n- a\n- b\n", "k"), "2:1-3:4");
}

TEST(ReadYaml, CopiesWhatAnAliasRepeatsAndPlacesItAtTheAlias) {
  const Value root = Read("a: &x [1, 2]\nb: *x\n");
  EXPECT_EQ(root.Find("b")->items.size(), 2u);
  EXPECT_EQ(PlaceText(root.Find("b")->span), "2:4-6");
}

TEST(ReadYaml, RefusesAnEmptyFile) {
  const Lines empty = {"1:1-2 G011 the file is empty; begin with 'opsrun: 1'"};
  EXPECT_EQ(Errors(""), empty);
  EXPECT_EQ(Errors("# only a comment\n"), empty);
}

TEST(ReadYaml, RefusesBytesThatAreNoText) {
  EXPECT_EQ(Errors("a: 1\nb: x\xff\n"),
            Lines{"2:5-6 G001 the text is not UTF-8: the byte ff cannot stand here; save the file as UTF-8"});
  for (const char* bytes : {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    EXPECT_EQ(Errors(bytes).size(), 1u);
    EXPECT_EQ(Errors(bytes)[0].substr(0, 10), "1:1-2 G001");
  }
  EXPECT_EQ(Errors("a: \x04\n")[0].substr(0, 52), "1:4-5 G001 the control character 04 is not allowed; ");
  EXPECT_EQ(Errors("a: 1\rb: 2\n")[0].substr(0, 52), "1:5-6 G001 the control character 0d is not allowed; ");
  EXPECT_EQ(Errors("a: \u2028\n"), Lines{"1:4-5 G001 the control character 2028 is not allowed; write \"\\u2028\" in "
                                         "double quotes, or end lines with a line feed"});
  EXPECT_EQ(Errors("\xef\xbb\xbfopsrun: 1\n"),
            Lines{"1:1-2 G001 the text begins with a byte order mark; save it as UTF-8 without one"});
}

TEST(ReadYaml, RefusesTabsAsIndentation) {
  const ReadText read("a:\n  b: 1\n\tc: 2\n  \td: 3\n");
  EXPECT_EQ(ErrorLines(read.diagnostics),
            Lines{"3:1-2 G002 there is a tab in the indentation of this line; indent with spaces"});
  EXPECT_EQ(read.diagnostics.all()[0].notes, Lines{"tabs indent 2 lines in all"});
}

TEST(ReadYaml, SeesATabBeforeWhatWouldGoOnWithTheTextAbove) {
  EXPECT_EQ(Errors("a: 1\n\tb: 2\n"),
            Lines{"2:1-2 G002 there is a tab in the indentation of this line; indent with spaces"});
}

TEST(ReadYaml, AllowsTabsThatIndentNothing) {
  Read("a: {\n\tb: 1}\t# c\n\t\n\t# comment\nc: 1\n");
}

// They are read as spaces, which a text after '|' must not be.
TEST(ReadYaml, RefusesTabsInEmptyLinesOfBlockTexts) {
  EXPECT_EQ(Errors("a: |\n  b\n  \t\n  c\n"),
            Lines{"3:3-4 G002 there is a tab in the indentation of this line; indent with spaces"});
  EXPECT_EQ(Read("a: |\n  b\n  \tc\n\t# c\n").Find("a")->text, "b\n\tc\n");
}

TEST(ReadYaml, RefusesQuotesThatAreNeverClosed) {
  EXPECT_EQ(Errors("a: \"x\nb: 3\n"),
            Lines{"1:4-5 G003 the quote \" is never closed; write a \" at the end of the text"});
  EXPECT_EQ(Errors("a:\n  b: 'x\n  c: 'y'\n"),
            Lines{"2:6-7 G003 the quote ' is never closed; write a ' at the end of the text"});
  EXPECT_EQ(Errors("a: [\"x]\n"), Lines{"1:5-6 G003 the quote \" is never closed; write a \" at the end of the text"});
  EXPECT_EQ(Errors("a: \"x\\\""), Lines{"1:4-5 G003 the quote \" is never closed; write a \" at the end of the text"});
}

TEST(ReadYaml, RefusesBracketsThatDoNotMatch) {
  EXPECT_EQ(Errors("a: [1, 2\nb: 3\n"), Lines{"1:4-5 G004 '[' is never closed; close it with ']'"});
  EXPECT_EQ(Errors("a: [[1], 2\nb: [3]\n"), Lines{"1:4-5 G004 '[' is never closed; close it with ']'"});
  EXPECT_EQ(Errors("a: {b: [1}\n"), Lines{"1:8-9 G004 '[' is not closed before '}'; close it with ']'"});
  EXPECT_EQ(Errors("a: }\n"), Lines{"1:4-5 G004 '}' closes nothing; remove it, or open what it closes"});
}

TEST(ReadYaml, SurvivesDeepNesting) {
  std::string indented;
  for (int i = 0; i < 1000; ++i) indented += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(Errors("a: " + std::string(100000, '[')),
            Lines{"1:67-68 G005 this stands in more than 64 levels of lists and maps; nest less deeply"});
  for (const std::string& text : {indented, std::string(100000, '{')}) EXPECT_EQ(Errors(text).size(), 1u);
  Read("- " + std::string(200000, '-'));
  std::string dashes;
  for (int i = 0; i < 100000; ++i) dashes += "- ";
  EXPECT_EQ(Errors(dashes),
            Lines{"1:129-130 G005 this stands in more than 64 levels of lists and maps; nest less deeply"});
  Read("a: " + std::string(63, '[') + std::string(63, ']'));
}

TEST(ReadYaml, LimitsWhatAliasesStandFor) {
  std::string bomb = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (char c = 'b'; c < 'j'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += std::string(i == 0 ? "*" : ", *") + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  const Lines errors = Errors(bomb);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("G007 the aliases stand for more than 100000 values; put large values into a .npy file"),
            std::string::npos);
}

TEST(ReadYaml, LimitsTheTextThatAliasesStandFor) {
  std::string aliases;
  for (int i = 0; i < 1000; ++i) aliases += "*a, ";
  const Lines errors = Errors("a: &a " + std::string(100'000, 'x') + "\nb: [" + aliases + "]\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("G007 the aliases stand for more than 16777216 bytes"), std::string::npos) << errors[0];
}

// Each anchor keeps what it marks, so anchors around one another would keep it many times.
TEST(ReadYaml, LimitsWhatAnchorsWithinAnchorsKeep) {
  std::string values, begin, end;
  for (int i = 0; i < 50'000; ++i) values += "1,";
  for (int i = 0; i < 60; ++i) begin += "&a" + std::to_string(i) + " [", end += "]";
  const Lines errors = Errors("a: " + begin + values + end);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("G007 the anchors up to here mark too much"), std::string::npos) << errors[0];
}

TEST(ReadYaml, KeepsALargeValueWithAnAnchorThatNobodyRepeats) {
  std::string values;
  for (int i = 0; i < 150'000; ++i) values += "1,";
  EXPECT_EQ(Read("a: &a [" + values + "]\n").entries[0].value.items.size(), 150'000u);
  EXPECT_EQ(Errors("a: &a [" + values + "]\nb: *a\n").size(), 1u);
}

TEST(ReadYaml, LimitsTheDepthThatAliasesAdd) {
  const std::string deep = "a: &a " + std::string(40, '[') + std::string(40, ']') + "\nb: " + std::string(40, '[') +
                           "*a" + std::string(40, ']');
  EXPECT_EQ(Errors(deep), Lines{"2:44-46 G005 this stands in more than 64 levels of lists and maps; nest less deeply"});
}

TEST(ReadYaml, RefusesAliasesWithoutAValue) {
  EXPECT_EQ(Errors("a: &a [*a]\n"),
            Lines{"1:8-10 G007 an alias stands inside the value that it repeats; write the value out"});
  EXPECT_EQ(Errors("a: *b\n"),
            Lines{"1:4-6 G006 no anchor is named 'b'; an anchor '&name' stands before its alias '*name'"});
}

TEST(ReadYaml, RefusesMergeKeysAndTags) {
  EXPECT_EQ(Errors("opsrun: 1\nx-a: &a {b: 1}\nx-b: {<<: *a, c: 2}\n"),
            Lines{"3:7-9 G008 the merge key '<<' is not supported; write the keys out"});
  EXPECT_EQ(Errors("opsrun: 1\nx-a: !!binary [aGk=]\nx-b: !my [1]\n"),
            (Lines{"2:6-7 G009 the tag '!!binary' is not supported; remove it; quotes make any value a string",
                   "3:6-7 G009 the tag '!my' is not supported; remove it; quotes make any value a string"}));
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

TEST(ReadYaml, RefusesTextThatIsNotBase64AtItsPlace) {
  const std::string help = "; write the bytes of the string in base64, such as !!binary \"/wB6\"";
  EXPECT_EQ(Errors("a: [!!binary \"aGk\", !!binary a-k=]\n"),
            (Lines{"1:5-19 G014 this is not base64: its last group of four characters is not whole" + help,
                   "1:21-34 G014 this is not base64 after 1 character" + help}));
  EXPECT_EQ(Errors("!!binary /w==: 1\n"),
            Lines{"1:1-14 G012 a key must be a string, found bytes; put the key in quotes"});
}

TEST(ReadYaml, RefusesSeveralDocuments) {
  EXPECT_EQ(Errors("a: 1\n---\nb: 2\n"),
            Lines{"2:1-2 G010 a second document begins here; a graph file holds one; remove '---' or '...'"});
  Read("%YAML 1.2\n---\na: 1\n...\n");
}

TEST(ReadYaml, RefusesKeysThatAreNoTexts) {
  EXPECT_EQ(Errors("[1]: 2\n"), Lines{"1:1-2 G012 a key must be a string, found a list; put the key in quotes"});
  EXPECT_EQ(Errors("{{a: 1}: 2}\n"), Lines{"1:2-3 G012 a key must be a string, found a map; put the key in quotes"});
  EXPECT_EQ(Errors("a: 1\n: 2\n"), Lines{"2:1-2 G012 a key must be a string, found nothing; put the key in quotes"});
  EXPECT_EQ(Errors("~: 2\n"), Lines{"1:1-2 G012 a key must be a string, found nothing; put the key in quotes"});
  EXPECT_EQ(Errors("a: &x 1\n*x : 2\n"),
            Lines{"2:1-3 G012 a key must be a string, found an alias; put the key in quotes"});
}

TEST(ReadYaml, RefusesKeysWithoutAValueInBraces) {
  EXPECT_EQ(Errors("opsrun: 1\nx-a: {b:1}\n"),
            Lines{"2:7-10 G006 the key 'b:1' has no value; put a space after the ':'"});
  EXPECT_EQ(
      Errors("opsrun: 1\nx-a: {b: f(2,3)}\n"),
      Lines{"2:14-16 G006 the key '3)' has no value; write 'key: value', and put a text that holds ',' in quotes"});
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
  EXPECT_EQ(
      Errors("a: b: c\n"),
      Lines{"1:5-6 G006 this ':' belongs to no key of the map around it; begin all keys of a map in the same column, "
            "end each with ':', and quote a value that holds ': '"});
  EXPECT_EQ(
      Errors("a:\n   b: 1\n  c: 2\n"),
      Lines{"3:3-4 G006 'c:' does not fit what stands above it or before it; begin all keys of a map, or all '-' of a "
            "list, in the same column"});
  EXPECT_EQ(
      Errors("[a]\nb: 1\n"),
      Lines{"2:1-2 G006 'b:' does not fit what stands above it or before it; begin all keys of a map, or all '-' of a "
            "list, in the same column"});
  EXPECT_EQ(
      Errors("a: - b\n"),
      Lines{"1:4-5 G006 a list cannot begin here with '-'; begin each item on a line of its own, or write [a, b]"});
  EXPECT_EQ(Errors("a: [1 2\n b: 3]\n"),
            Lines{"2:3-4 G006 ':' does not fit into the brackets around it; put ',' between values"});
  EXPECT_EQ(Errors("a: @x\n"), Lines{"1:4-5 G006 '@' cannot begin a value; put the text in quotes"});
  EXPECT_EQ(Errors("a: \"\\q\"\n"), Lines{"1:5-6 G006 a text in double quotes has a bad escape: '\\q'; write a "
                                          "backslash as \\\\, or use single quotes"});
  EXPECT_EQ(Errors("a: 1\nb\nc: 2\n"),
            Lines{"2:1-2 G006 a ':' is missing in this line; write 'key: value', or indent what goes on with the line "
                  "above"});
  EXPECT_EQ(Errors("a: {b:}\n"), Lines{"1:6-7 G006 there is no key before this ':'; put a space after the ':'"});
}

TEST(ReadYaml, RefusesKeysThatAreTooLongToBeFound) {
  const std::string key(1100, 'k');
  const std::string message =
      " G006 a key takes more than 1024 characters; give it a shorter name, or write '? key' and ': value' on two "
      "lines";
  EXPECT_EQ(Errors("'" + key + "': 1\n"), Lines{"1:1-2" + message});
  EXPECT_EQ(Errors("a: 1\n" + key + ": 1\n"), Lines{"2:1-2" + message});
  EXPECT_EQ(Errors("a: {\"" + key + "\": 1}\n"), Lines{"1:5-6" + message});
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
    EXPECT_EQ(Errors("a: \"" + half + "\"\n")[0].substr(0, 60),
              "1:5-6 G006 a text in double quotes has a bad escape: '" + half.substr(0, 6));
}

TEST(ReadYaml, RefusesDuplicateKeysAtEveryLevelAndShowsBoth) {
  const ReadText read("opsrun: 1\nnodes:\n  w: {op: A}\n  w: {op: B, op: C}\nx-y: 1\nx-y: 2\n");
  EXPECT_EQ(ErrorLines(read.diagnostics),
            (Lines{"4:14-16 G103 the key 'op' is given twice; remove or rename one of them",
                   "4:3-4 G103 node 'w' is defined twice; remove or rename one of them",
                   "6:1-4 G103 the key 'x-y' is given twice; remove or rename one of them"}));
  EXPECT_EQ(read.diagnostics.all()[1].also[0].text, "first definition here");
  EXPECT_EQ(PlaceText(read.diagnostics.all()[1].also[0].span), "3:3-4");
  EXPECT_EQ(read.value->Find("nodes")->Find("w")->Find("op")->text, "A");
}

TEST(ReadYaml, FindsDuplicatesAmongManyKeys) {
  std::string text = "opsrun: 1\nnodes:\n";
  for (int i = 0; i < 3000; ++i) text += "  n" + std::to_string(i % 2999) + ": {op: A}\n";
  EXPECT_EQ(Errors(text), Lines{"3002:3-5 G103 node 'n0' is defined twice; remove or rename one of them"});
}

}  // namespace
}  // namespace opsrun::host

// tests/host/show/render_diagnostics_test.cc: messages, character by character, and the pages that explain their codes.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/render_diagnostics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>

#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

constexpr RenderStyle kHuman{ErrorFormat::kHuman, false};

Diagnostic At(uint32_t line, uint32_t column, uint32_t end_column, std::string message) {
  Diagnostic d;
  d.code = "G201";
  d.message = std::move(message);
  d.file = "bad.yaml";
  d.where = {{line, column}, {line, end_column}};
  return d;
}

std::string Human(const Diagnostic& d, const std::string& text) {
  const SourceFile source{"bad.yaml", text};
  return "\n" + RenderDiagnostic(d, &source, kHuman);
}

TEST(HumanFormat, ShowsASingleLineBetweenTwoPlacesInsteadOfDots) {
  Diagnostic d = At(3, 1, 2, "twice");
  d.also = {{{{1, 1}, {1, 2}}, "first"}};
  EXPECT_EQ(Human(d, "a:\n  b\na:\n"), R"(
error[G201]: twice
 --> bad.yaml:3:1
  |
1 | a:
  | - first
2 |   b
3 | a:
  | ^
)");
}

TEST(HumanFormat, MarksTheFirstLineOfASpanOverSeveral) {
  Diagnostic d = At(1, 4, 0, "too deep");
  d.where.end = {3, 2};
  EXPECT_EQ(Human(d, "in: [a,\n  b\n]\n"), R"(
error[G201]: too deep
 --> bad.yaml:1:4
  |
1 | in: [a,
  |    ^^^^
)");
}

TEST(HumanFormat, CountsColumnsNotBytes) {
  EXPECT_EQ(Human(At(1, 9, 12, "m"), "\xC3\xA4\xE6\xBC\xA2\t: bad"), R"(
error[G201]: m
 --> bad.yaml:1:9
  |
1 | )"
                                                                     "\xC3\xA4\xE6\xBC\xA2"
                                                                     R"(    : bad
  |          ^^^
)");
}

TEST(HumanFormat, CutsALongLineAroundTheSpan) {
  const std::string line = std::string(5000, 'a') + "BAD" + std::string(5000, 'b');
  EXPECT_EQ(Human(At(1, 5001, 5004, "m"), line), R"(
error[G201]: m
 --> bad.yaml:1:5001
  |
1 | ...)" + std::string(40, 'a') + "BAD" + std::string(77, 'b') +
                                                     R"(...
  |    )" + std::string(40, ' ') + "^^^\n");
}

TEST(HumanFormat, MarksAByteThatIsNoTextAndTheBeginOfASpanThatEndsBeforeIt) {
  for (uint32_t column : {1u, 41u, 119u, 120u, 121u, 200u, 300u}) {
    const std::string text = Human(At(1, column, column + 1, "no text"), std::string(300, '\x9A'));
    EXPECT_NE(text.find("\xEF\xBF\xBD"), std::string::npos) << column;
    EXPECT_NE(text.find('^'), std::string::npos) << column;
  }
  EXPECT_NE(Human(At(1, 200, 3, "backwards"), std::string(300, 'x')).find('^'), std::string::npos);
}

TEST(HumanFormat, ShowsTheFirstHundredOfManyAndCountsAll) {
  Diagnostics many;
  for (int i = 0; i < 2000; ++i) many.Error("G201", "no op named 'Op" + std::to_string(i) + "'");
  const std::string text = RenderDiagnostics(many, nullptr, kHuman);
  EXPECT_NE(text.find("'Op99'"), std::string::npos);
  EXPECT_EQ(text.find("'Op100'"), std::string::npos);
  EXPECT_TRUE(
      text.ends_with("note: 1900 more are not shown; fix these first\n2000 errors. For details, run: opsrun explain "
                     "G201\n"))
      << text;
}

TEST(HumanFormat, CutsATextThatFillsTheScreen) {
  const std::string text = Human(At(1, 1, 2, "no op named '" + std::string(100'000, 'x') + "'"), "x");
  EXPECT_LT(text.size(), 5000u);
  EXPECT_NE(text.find("xxx...\n"), std::string::npos);
}

TEST(HumanFormat, MarksTheEndOfALineWhereSomethingIsMissing) {
  EXPECT_EQ(Human(At(1, 99, 99, "m"), "a:\r\n"), R"(
error[G201]: m
 --> bad.yaml:1:99
  |
1 | a:
  |   ^
)");
}

TEST(HumanFormat, AlignsTheLinesOfANote) {
  Diagnostic d;
  d.message = "no kernel";
  d.notes = {"wanted float32\nhave   int32"};
  EXPECT_EQ(RenderDiagnostic(d, nullptr, kHuman),
            "error: no kernel\n  = note: wanted float32\n          have   int32\n");
}

TEST(HumanFormat, LetsNoTextSteerTheTerminalAndShowsNoLineOfAnotherFile) {
  Diagnostic d = At(1, 1, 2, "named '\x1b[2J'");
  EXPECT_EQ(Human(d, "\x1b[31m\xff"),
            "\nerror[G201]: named '\xEF\xBF\xBD[2J'\n --> bad.yaml:1:1\n  |\n1 | "
            "\xEF\xBF\xBD[31m\xEF\xBF\xBD\n  | ^\n");
  const SourceFile other{"other.yaml", "text\n"};
  EXPECT_EQ(RenderDiagnostic(At(1, 1, 2, "m"), &other, kHuman), "error[G201]: m\n --> bad.yaml:1:1\n");
}

TEST(HumanFormat, NamesTheCommandThatExplainsTheFirstError) {
  Diagnostics all;
  all.Warning("G220", "a");
  EXPECT_EQ(RenderDiagnostics(all, nullptr, kHuman),
            "warning[G220]: a\n\n1 warning. For details, run: opsrun explain G220\n");
  EXPECT_EQ(RenderDiagnostics(Diagnostics(), nullptr, kHuman), "");
  all.Error("G204", "b");
  EXPECT_TRUE(RenderDiagnostics(all, nullptr, kHuman)
                  .ends_with("\n1 error, 1 warning. For details, run: opsrun explain G204\n"));
}

TEST(HumanFormat, LeavesTheSummaryOutWhenAsked) {
  Diagnostics all;
  all.Error("G204", "a");
  all.Error("G204", "b");
  EXPECT_EQ(RenderDiagnostics(all, nullptr, {ErrorFormat::kHuman, false, false}), "error[G204]: a\n\nerror[G204]: b\n");
}

TEST(HumanFormat, ColoursOnlyWhenAsked) {
  Diagnostic d;
  d.message = "m";
  EXPECT_EQ(RenderDiagnostic(d, nullptr, {ErrorFormat::kHuman, true}), "\x1b[1;31merror\x1b[0m\x1b[1m: m\x1b[0m\n");
}

TEST(ShortFormat, IsOneLine) {
  Diagnostic d;
  d.code = "G201";
  d.message = "m";
  d.help = {"first\nsecond", "third"};
  EXPECT_EQ(RenderDiagnostic(d, nullptr, {ErrorFormat::kShort, false}), "error[G201]: m; first second\n");
}

TEST(JsonFormat, CountsBytesWhereTheTextIsAtHand) {
  const SourceFile source{"bad.yaml", "z:\r\n  op: ZeroOt\r\n"};
  Diagnostic d = At(2, 7, 13, "m");
  d.suggestion = "ZeroOut";
  const std::string line = RenderDiagnostic(d, &source, {ErrorFormat::kJson, false});
  EXPECT_NE(line.find(R"("begin":{"line":2,"column":7,"byte":10},"end":{"line":2,"column":13,"byte":16})"),
            std::string::npos)
      << line;
  EXPECT_NE(line.find(R"("suggestion":"ZeroOut")"), std::string::npos) << line;
}

TEST(JsonFormat, HasNoByteBeyondALineOrAFile) {
  const SourceFile source{"bad.yaml", "ab\n"};
  const RenderStyle json{ErrorFormat::kJson, false};
  EXPECT_NE(RenderDiagnostic(At(1, 9, 10, "m"), &source, json).find(R"("column":9,"byte":2)"), std::string::npos);
  EXPECT_NE(RenderDiagnostic(At(7, 1, 2, "m"), &source, json).find(R"("line":7,"column":1,"byte":null)"),
            std::string::npos);
}

TEST(JsonFormat, StaysJsonWithBytesThatAreNoText) {
  Diagnostic d;
  d.message = "bad \xff\n";
  EXPECT_EQ(RenderDiagnostic(d, nullptr, {ErrorFormat::kJson, false}),
            "{\"level\":\"error\",\"code\":\"\",\"message\":\"bad \xEF\xBF\xBD\\n\",\"file\":null,\"spans\":[],"
            "\"suggestion\":null,\"help\":[],\"notes\":[]}\n");
}

TEST(Remark, FollowsTheFormat) {
  EXPECT_EQ(RenderRemark("note", "text", kHuman), "note: text\n");
  EXPECT_EQ(RenderRemark("ok", "text", {ErrorFormat::kJson, false}), "{\"level\":\"ok\",\"message\":\"text\"}\n");
}

// The blocks of a page are what it shows of a graph and of what is printed.
TEST(ErrorPages, SayWhatTheTableOfCodesSays) {
  ASSERT_EQ(ErrorPages().size(), std::size(kCodes));
  for (size_t i = 0; i < std::size(kCodes); ++i) {
    const std::string page(ErrorPages()[i].markdown);
    EXPECT_TRUE(page.starts_with(fmt::format("# {}: {}\n", kCodes[i].text, kCodes[i].title))) << page;
    const bool by_signal = kCodes[i].exit == kExitSignal;
    EXPECT_NE(page.find(by_signal ? "\nExit code: 1" : fmt::format("\nExit code: {}", int{kCodes[i].exit})), page.npos)
        << page;
    const Json json = Json::parse(PageJson(ErrorPages()[i]));
    EXPECT_EQ(json["title"].get<std::string>(), kCodes[i].title);
    for (const auto& [key, block] : {std::pair("graph", "```yaml\n"), std::pair("prints", "```console\n")}) {
      const std::string text = json[key].is_null() ? "" : block + json[key].get<std::string>() + "```";
      EXPECT_NE(page.find(text), page.npos) << page;
      EXPECT_EQ(text.empty(), page.find(block) == page.npos) << page;
    }
  }
  EXPECT_EQ(Json::parse(CodesJson())[0]["code"].get<std::string>(), kCodes[0].text);
}

TEST(ErrorPages, TellCodesFromOps) {
  for (const char* word : {"G204", "g1", "E12345"}) EXPECT_TRUE(LooksLikeCode(word)) << word;
  for (const char* word : {"", "G", "Pad", "Pad2", "2044", "G20x", "G1234567"})
    EXPECT_FALSE(LooksLikeCode(word)) << word;
}

}  // namespace

}  // namespace opsrun::host

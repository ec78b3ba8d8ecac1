// host/show/error_pages.cc: parses the pages, which are simple Markdown: prose, one YAML block, and one block with a
// command and its output.
//
// SPDX-License-Identifier: Apache-2.0
#include "host/show/error_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "host/base/characters.h"

namespace opsrun::host {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFence = "```";

struct Block {
  std::string language;  // empty: prose
  std::string text;
};

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, text[end] == '\n' ? end : end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Comments in a page are for the tests.
bool IsComment(const std::string& line) {
  return line.starts_with("<!--");
}

std::vector<Block> Blocks(std::string_view markdown) {
  std::vector<Block> blocks = {{}};
  for (const std::string& line : Lines(markdown)) {
    const bool inside = !blocks.back().language.empty();
    if (line.starts_with(kFence)) {
      blocks.push_back({inside ? "" : line.substr(kFence.size()), ""});
    } else if (inside || !IsComment(line)) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

// Removes Markdown syntax.
std::string Plain(std::string text) {
  std::replace(text.begin(), text.end(), '`', '\'');
  std::string plain;
  bool blank = true;  // leading and repeated blank lines are dropped
  for (const std::string& line : Lines(text)) {
    if (line.empty() && blank) continue;
    blank = line.empty();
    plain += line.substr(line.starts_with('#') ? line.find(' ') + 1 : 0) + "\n";
  }
  return plain;
}

std::string Indented(const std::string& text) {
  std::string indented;
  for (const std::string& line : Lines(text)) indented += (line.empty() ? "" : "    " + line) + "\n";
  return indented;
}

Json BlockOf(const ErrorPage& page, std::string_view language) {
  for (const Block& block : Blocks(page.markdown)) {
    if (block.language == language) return block.text;
  }
  return nullptr;
}

}  // namespace

const ErrorPage* FindErrorPage(std::string_view word) {
  const std::string code = UpperCase(std::string(word));
  for (const ErrorPage& page : ErrorPages()) {
    if (page.code.text() == code) return &page;
  }
  return nullptr;
}

bool LooksLikeCode(std::string_view word) {
  constexpr size_t kLongest = 6;
  if (word.size() < 2 || word.size() > kLongest || !IsLetter(word[0])) return false;
  return word.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

std::string PageText(const ErrorPage& page) {
  std::string text;
  for (const Block& block : Blocks(page.markdown)) {
    const std::string part = block.language.empty() ? Plain(block.text) : Indented(block.text);
    if (part.empty()) continue;
    if (!text.empty() && !text.ends_with("\n\n")) text += "\n";
    text += part;
  }
  return text;
}

std::string PageJson(const ErrorPage& page) {
  const Json json = {{"code", page.code.text()},
                     {"title", page.code.title()},
                     {"text", PageText(page)},
                     {"graph", BlockOf(page, "yaml")},
                     {"prints", BlockOf(page, "console")}};
  return json.dump(2) + "\n";
}

std::string CodesText() {
  std::string text;
  for (const CodeRow& row : kCodes) text += fmt::format("{}: {}\n", row.text, row.title);
  return text;
}

std::string CodesJson() {
  Json codes = Json::array();
  for (const ErrorPage& page : ErrorPages())
    codes.push_back({{"code", page.code.text()}, {"title", page.code.title()}});
  return codes.dump(2) + "\n";
}

}  // namespace opsrun::host

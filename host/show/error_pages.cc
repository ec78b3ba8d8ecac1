// host/show/error_pages.cc: parses the pages, which are simple Markdown: prose, one YAML block, and one block with a
// command and its output.
//
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/text.h"
#include "host/show/json_text.h"
#include "host/show/render_diagnostics.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kFence = "```";

struct Block {
  std::string language;  // empty: prose
  std::string text;
};

std::vector<Block> Blocks(std::string_view markdown) {
  std::vector<Block> blocks = {{}};
  for (const std::string_view line : LinesOf(markdown)) {
    const bool inside = !blocks.back().language.empty();
    if (line.starts_with(kFence)) {
      blocks.push_back({std::string(inside ? "" : line.substr(kFence.size())), ""});
    } else if (inside || !line.starts_with("<!--")) {  // comments in a page are for the tests
      blocks.back().text.append(line) += '\n';
    }
  }
  return blocks;
}

// Removes Markdown syntax.
std::string Plain(std::string text) {
  std::replace(text.begin(), text.end(), '`', '\'');
  std::string plain;
  bool blank = true;  // leading and repeated blank lines are dropped
  for (const std::string_view line : LinesOf(text)) {
    if (line.empty() && blank) continue;
    blank = line.empty();
    plain.append(line.substr(line.starts_with('#') ? line.find(' ') + 1 : 0)) += '\n';
  }
  return plain;
}

std::string Indented(const std::string& text) {
  std::string indented;
  for (const std::string_view line : LinesOf(text)) indented += fmt::format("{}{}\n", line.empty() ? "" : "    ", line);
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
  return JsonDocument({{"code", page.code.text()},
                       {"title", page.code.title()},
                       {"text", PageText(page)},
                       {"graph", BlockOf(page, "yaml")},
                       {"prints", BlockOf(page, "console")}});
}

std::string CodesText() {
  std::string text;
  for (const CodeRow& row : kCodes) text += fmt::format("{}: {}\n", row.text, row.title);
  return text;
}

std::string CodesJson() {
  return JsonDocument(JsonArray(kCodes, [](const CodeRow& row) -> Json {
    return {{"code", row.text}, {"title", row.title}};
  }));
}

}  // namespace opsrun::host

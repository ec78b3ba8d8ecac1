// host/base/display_text.cc: decodes UTF-8 and knows the widths of characters, independent of the locale.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/display_text.h"

#include <algorithm>
#include <iterator>

#include "host/base/characters.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kTab = "    ";

struct Range {
  uint32_t first;
  uint32_t last;
};

// Combining marks, joiners, variation selectors, the byte order mark.
constexpr Range kZeroWidth[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},
                                {0x0E34, 0x0E3A}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D},
                                {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
// East Asian wide and full-width forms, and emoji.
constexpr Range kDoubleWidth[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
                                  {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                                  {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
// C0, DEL, C1, and characters that change the writing direction, so that text reads as something else.
constexpr Range kUnprintable[] = {{0x00, 0x1F}, {0x7F, 0x9F}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};

template <size_t N>
bool IsIn(const Range (&ranges)[N], uint32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges), [c](Range r) { return c >= r.first && c <= r.last; });
}

// One character of a line.
struct Glyph {
  size_t end = 0;    // of its bytes in the line
  std::string text;  // what to print
  size_t width = 1;  // columns that `text` takes
};

// An invalid byte counts as one glyph.
Glyph GlyphAt(std::string_view line, size_t begin) {
  const Utf8Character c = DecodeUtf8(line.substr(begin));
  if (c.size == 0) return {begin + 1, std::string(kReplacementCharacter)};
  const size_t end = begin + c.size;
  if (c.code == '\t') return {end, std::string(kTab), kTab.size()};
  if (!IsShown(c.code)) return {end, std::string(kReplacementCharacter)};
  const size_t width = IsIn(kZeroWidth, c.code) ? 0 : IsIn(kDoubleWidth, c.code) ? 2 : 1;
  return {end, std::string(line.substr(begin, c.size)), width};
}

}  // namespace

bool IsShown(uint32_t code) {
  return !IsIn(kUnprintable, code);
}

size_t DisplayWidth(std::string_view line) {
  size_t width = 0;
  for (size_t at = 0; at < line.size();) {
    const Glyph glyph = GlyphAt(line, at);
    width += glyph.width;
    at = glyph.end;
  }
  return width;
}

std::string Printable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Glyph glyph = GlyphAt(text, at);
    printable += text[at] == '\n' ? "\n" : glyph.text;
    at = glyph.end;
  }
  return printable;
}

std::string TextTable::Text() const {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) lines[0].push_back(column.title);
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  for (auto& line : lines) line.resize(columns_.size());
  std::vector<size_t> widths(columns_.size());
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - line[i].size(), ' ');
      const bool left = columns_[i].align == Align::kLeft;
      text += (i == 0 ? "" : "  ") + (left ? line[i] + blanks : blanks + line[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace opsrun::host

// SPDX-License-Identifier: Apache-2.0
#include "host/base/display_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

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

namespace {

struct Unit {
  std::string_view name;
  double size;
};

// 3 digits after rounding: 9.995 becomes "10.0".
std::string ThreeDigits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

// Takes the first of `units`, from small to large, that gives less than `step`, or else the last.
std::string Scaled(double value, double step, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    const double scaled = value / unit.size;
    if (scaled < step - 0.5 || &unit == &units.back()) return fmt::format("{} {}", ThreeDigits(scaled), unit.name);
  }
  return {};
}

}  // namespace

std::string DurationText(double ns) {
  static constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  return Scaled(ns, 1000, kUnits);
}

std::string CountText(double count) {
  static constexpr Unit kUnits[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}};
  return count < 1000 ? fmt::format("{:g}", count < 10 ? count : static_cast<double>(static_cast<int>(count + 0.5)))
                      : Scaled(count, 1000, kUnits);
}

std::string BytesText(double bytes) {
  static constexpr Unit kUnits[] = {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  return bytes < 1024 ? fmt::format("{:.0f} B", bytes) : Scaled(bytes, 1024, kUnits);
}

std::string BandwidthText(double rate) {
  static constexpr Unit kUnits[] = {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
  return Scaled(rate, 1000, kUnits);
}

std::string ShareText(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

std::string Several(size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

namespace {

constexpr size_t kMaxSuggestions = 3;
constexpr size_t kMaxListed = 12;
constexpr size_t kLongestWord = 200;  // no suggestions for longer words: the distance takes quadratic time

// The restricted Damerau-Levenshtein distance: insert, delete, replace, or swap two neighbors.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string WithoutCaseAndUnderscores(std::string_view word) {
  std::string plain;
  for (char c : word) {
    if (c != '_') plain += Lower(c);
  }
  return plain;
}

// "'a'", "'a' or 'b'", "'a', 'b' or 'c'".
std::string Alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

std::string FirstFew(const std::vector<std::string>& names) {
  // "and 1 more" would be no shorter than the name.
  const size_t shown = names.size() == kMaxListed + 1 ? names.size() : std::min(names.size(), kMaxListed);
  const std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

}  // namespace

std::string QuotedNames(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(fmt::format("'{}'", name));
  return FirstFew(quoted);
}

std::vector<std::string> NearNames(std::string_view word, const std::vector<std::string>& names) {
  struct Candidate {
    size_t distance;
    std::string name;
  };
  if (word.empty() || word.size() > kLongestWord) return {};
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  const std::string plain = word.size() < 3 ? "" : WithoutCaseAndUnderscores(word);
  std::vector<Candidate> candidates;
  for (const std::string& name : names) {
    if (name.empty() || name.size() > kLongestWord) continue;
    bool same_but_for_style = !plain.empty() && WithoutCaseAndUnderscores(name) == plain;
    size_t difference = name.size() > word.size() ? name.size() - word.size() : word.size() - name.size();
    if (!same_but_for_style && difference > limit) continue;
    size_t distance = same_but_for_style ? 0 : EditDistance(word, name);
    const bool all_differs = distance >= std::max(word.size(), name.size());
    if (distance <= limit && !all_differs) candidates.push_back({distance, name});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  std::vector<std::string> near;
  for (Candidate& candidate : candidates) {
    if (near.size() == kMaxSuggestions) break;
    if (std::find(near.begin(), near.end(), candidate.name) == near.end()) near.push_back(std::move(candidate.name));
  }
  return near;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& names, std::string_view what) {
  std::vector<std::string> near = NearNames(word, names);
  if (!near.empty()) return "did you mean " + Alternatives(near) + "?";
  if (names.empty()) return "there are no " + std::string(what);
  return std::string(what) + ": " + FirstFew(names);
}

}  // namespace opsrun::host

// host/show/source_snippet.cc: draws the source lines under a message.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/source_snippet.h"

#include <algorithm>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

// Source lines may have any length: shows at most this many bytes, and at most this many before the mark.
constexpr size_t kMostBytes = 120;
constexpr size_t kBefore = 40;
constexpr std::string_view kCut = "...";

struct Mark {
  Span span;
  std::string_view text;
  bool primary = false;
};

std::vector<Mark> MarksInFileOrder(const Diagnostic& d) {
  std::vector<Mark> marks;
  if (d.where.known()) marks.push_back({d.where, d.label, true});
  for (const Label& label : d.also) {
    if (label.span.known()) marks.push_back({label.span, label.text, false});
  }
  std::ranges::stable_sort(marks, {}, [](const Mark& mark) { return mark.span.begin; });
  return marks;
}

// The visible part of a source line and its mark.
struct Shown {
  std::string text;
  size_t blanks = 0;  // columns before the mark
  size_t width = 1;   // of the mark
  bool cut = false;
};

bool ContinuesACharacter(std::string_view line, size_t at) {
  return at < line.size() && IsContinuationByte(line[at]);
}

// Moves `at` back to the first byte of its character. Invalid UTF-8 may consist of continuation bytes only.
size_t CharacterBegin(std::string_view line, size_t at) {
  constexpr size_t kMostContinuations = 3;
  for (size_t back = 0; back <= std::min(at, kMostContinuations); ++back) {
    if (!ContinuesACharacter(line, at - back)) return at - back;
  }
  return at;
}

// Where the visible part of the line begins if [begin, end) is marked.
size_t FirstShown(std::string_view line, size_t begin, size_t end) {
  const size_t last_marked = std::min(end, begin + kMostBytes / 2);
  if (line.size() <= kMostBytes || last_marked <= kMostBytes || begin < kBefore) return 0;
  return CharacterBegin(line, begin - kBefore);
}

Shown Show(std::string_view line, const Span& span) {
  const size_t begin = std::min<size_t>(std::max(span.begin.column, 1u) - 1, line.size());
  const bool goes_on = span.end.line > span.begin.line;
  const size_t end = goes_on ? line.size() : std::clamp<size_t>(std::max(span.end.column, 1u) - 1, begin, line.size());

  const size_t first = FirstShown(line, begin, end);
  const size_t last = CharacterBegin(line, std::min(first + kMostBytes, line.size()));
  const std::string_view part = line.substr(first, last - first);
  const size_t mark = std::min(begin - first, part.size());  // the cut may fall inside the marked character
  const std::string_view marked = part.substr(mark, end - begin);

  const std::string_view left = first > 0 ? kCut : "";
  const std::string_view right = last < line.size() ? kCut : "";
  Shown shown;
  shown.text = std::string(left) + Printable(part) + std::string(right);
  shown.blanks = left.size() + DisplayWidth(part.substr(0, mark));
  shown.width = std::max<size_t>(1, DisplayWidth(marked));
  shown.cut = first > 0 || last < line.size();
  return shown;
}

// Draws lines in ascending order; remembers the last one.
class Snippet {
 public:
  Snippet(const SourceLines& lines, size_t gutter, const Paint& paint)
      : lines_(lines), gutter_(gutter), paint_(paint) {}

  void Add(const Mark& mark, std::string_view ink) {
    const uint32_t line = mark.span.begin.line;
    const Shown shown = Show(lines_.Line(line), mark.span);
    const bool stands_there = line == last_line_ && !shown.cut;
    if (!stands_there) {
      Bridge(line);
      Source(line, shown.text);
    }
    std::string underline(shown.width, mark.primary ? '^' : '-');
    if (!mark.text.empty()) underline += " " + OneLine(mark.text);
    out_ += Bar("") + " " + std::string(shown.blanks, ' ') + paint_(ink, underline) + "\n";
    last_line_ = line;
  }

  std::string Finish() { return Bar("") + "\n" + out_; }

 private:
  static std::string OneLine(std::string_view text) {
    std::string line = Printable(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  }

  std::string Bar(const std::string& number) const {
    return paint_(Ink::kPlace, number + std::string(gutter_ - number.size(), ' ') + " |");
  }

  void Source(uint32_t line, const std::string& text) {
    out_ += Bar(std::to_string(line)) + (text.empty() ? "" : " ") + text + "\n";
  }

  // Fills the gap between the last line and this one: nothing, the single line in between, or dots.
  void Bridge(uint32_t line) {
    if (last_line_ == 0 || line <= last_line_ + 1) return;
    if (line > last_line_ + 2) {
      out_ += "...\n";
      return;
    }
    const Span whole{{line - 1, 1}, {line - 1, 1}};
    Source(line - 1, Show(lines_.Line(line - 1), whole).text);
  }

  const SourceLines& lines_;
  size_t gutter_;
  const Paint& paint_;
  uint32_t last_line_ = 0;
  std::string out_;
};

}  // namespace

SourceLines::SourceLines(const SourceFile& source)
    : path_(source.path), begin_(source.text.data()), lines_(LinesOf(source.text)) {
  for (std::string_view& line : lines_) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
}

std::string_view SourceLines::Line(uint32_t n) const {
  return n == 0 || n > lines_.size() ? std::string_view() : lines_[n - 1];
}

std::optional<size_t> SourceLines::ByteOffset(const Position& place) const {
  if (place.line == 0 || place.line > lines_.size() || place.column == 0) return std::nullopt;
  const std::string_view line = lines_[place.line - 1];
  return static_cast<size_t>(line.data() - begin_) + std::min<size_t>(place.column - 1, line.size());
}

size_t GutterWidth(const Diagnostic& d) {
  uint32_t greatest = d.where.begin.line;
  for (const Label& label : d.also) greatest = std::max(greatest, label.span.begin.line);
  return std::to_string(greatest).size();
}

std::string DrawSnippet(const Diagnostic& d, const SourceLines& lines, const Paint& paint) {
  const std::vector<Mark> marks = MarksInFileOrder(d);
  if (marks.empty()) return {};
  const std::string_view primary = d.severity == Diagnostic::Severity::kError ? Ink::kError : Ink::kWarning;
  Snippet snippet(lines, GutterWidth(d), paint);
  for (const Mark& mark : marks) snippet.Add(mark, mark.primary ? primary : Ink::kPlace);
  return snippet.Finish();
}

}  // namespace opsrun::host

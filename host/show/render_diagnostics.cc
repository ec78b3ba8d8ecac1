// host/show/render_diagnostics.cc: all formats, and the choice between them. For people, the lines of the file are
// shown with the places in them marked:
//
//    |
//  8 |   w:
//    |   - first definition here
// ...
// 13 |   w:
//    |   ^ second definition
// SPDX-License-Identifier: Apache-2.0
#include "host/show/render_diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/show/diagnostic_json.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

// The escape sequence of a color.
struct Ink {
  static constexpr std::string_view kStrong = "\x1b[1m", kError = "\x1b[1;31m", kWarning = "\x1b[1;33m",
                                    kGood = "\x1b[1;32m", kPlace = "\x1b[1;34m";
};

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}

  std::string operator()(std::string_view ink, std::string_view text) const {
    if (!on_ || text.empty()) return std::string(text);
    return std::string(ink).append(text).append("\x1b[0m");
  }

 private:
  bool on_;
};

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

// Width of the gutter: the number of digits of the largest line number in `d`.
size_t GutterWidth(const Diagnostic& d) {
  uint32_t greatest = d.where.begin.line;
  for (const Label& label : d.also) greatest = std::max(greatest, label.span.begin.line);
  return std::to_string(greatest).size();
}

// The marked lines, each ending in a line break; empty if `d` has no known place. Long lines are cut around the marks;
// of a span over several lines, the first line is shown.
std::string DrawSnippet(const Diagnostic& d, const SourceLines& lines, const Paint& paint) {
  const std::vector<Mark> marks = MarksInFileOrder(d);
  if (marks.empty()) return {};
  const std::string_view primary = d.severity == Diagnostic::Severity::kError ? Ink::kError : Ink::kWarning;
  Snippet snippet(lines, GutterWidth(d), paint);
  for (const Mark& mark : marks) snippet.Add(mark, mark.primary ? primary : Ink::kPlace);
  return snippet.Finish();
}

constexpr size_t kMostShown = 100;  // a bug in a script that writes graphs can cause an error per node
constexpr size_t kLongestText = 4000;

bool IsError(const Diagnostic& d) {
  return d.severity == Diagnostic::Severity::kError;
}

std::string Heading(const Diagnostic& d) {
  const char* level = IsError(d) ? "error" : "warning";
  return d.code.empty() ? level : fmt::format("{}[{}]", level, d.code.text());
}

// "graph.yaml:6:9", or the part of it that is known.
std::string PlaceText(const Diagnostic& d) {
  const std::string file = Printable(d.file);
  return d.where.known() ? fmt::format("{}:{}:{}", file, d.where.begin.line, d.where.begin.column) : file;
}

// "= help: text"; further lines of `text` are aligned with its first character.
std::string Remark(size_t gutter, const Paint& paint, std::string_view kind, std::string_view text) {
  const std::string left = fmt::format("{:{}} = ", "", gutter);
  const std::string indent(left.size() + kind.size() + 2, ' ');
  std::string lines = Printable(text);
  for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1))
    lines.insert(at + 1, indent);
  return fmt::format("{}{} {}\n", paint(Ink::kPlace, left), paint(Ink::kStrong, fmt::format("{}:", kind)), lines);
}

// A line for each frame.
std::string Backtrace(const Diagnostic& d, size_t indent) {
  std::string text;
  for (const StackFrame& frame : d.backtrace) text += std::string(indent, ' ') + Printable(frame.text) + "\n";
  return text;
}

std::string Human(const Diagnostic& d, const SourceLines* lines, const Paint& paint) {
  const std::string_view ink = IsError(d) ? Ink::kError : Ink::kWarning;
  const size_t gutter = GutterWidth(d);
  std::string text = fmt::format("{}{}\n", paint(ink, Heading(d)), paint(Ink::kStrong, ": " + Printable(d.message)));
  if (!d.file.empty()) {
    text += fmt::format("{}{} {}\n", std::string(gutter, ' '), paint(Ink::kPlace, "-->"), PlaceText(d));
    if (lines != nullptr && lines->path() == d.file) text += DrawSnippet(d, *lines, paint);
  }
  for (const std::string& help : d.help) text += Remark(gutter, paint, "help", help);
  for (const std::string& note : d.notes) text += Remark(gutter, paint, "note", note);
  if (d.backtrace.empty()) return text;
  const std::string left = fmt::format("{:{}} = ", "", gutter);
  return text + paint(Ink::kPlace, left) + paint(Ink::kStrong, "backtrace:") + "\n" + Backtrace(d, gutter + 5);
}

std::string Short(const Diagnostic& d) {
  std::string line = d.file.empty() ? "" : PlaceText(d) + ": ";
  line += fmt::format("{}: {}", Heading(d), d.message);
  if (!d.help.empty()) line += "; " + d.help.front();
  line = Printable(line);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += "\n";
  return d.backtrace.empty() ? line : line + "  backtrace:\n" + Backtrace(d, 4);
}

// Text from a graph or a plugin may have any length. A character cut in half is shown as an invalid one.
void Shorten(std::string& text) {
  if (text.size() <= kLongestText) return;
  text.resize(kLongestText);
  text += "...";
}

Diagnostic Shortened(Diagnostic d) {
  Shorten(d.message);
  Shorten(d.label);
  for (Label& label : d.also) Shorten(label.text);
  for (std::string& help : d.help) Shorten(help);
  for (std::string& note : d.notes) Shorten(note);
  return d;
}

std::string Render(const Diagnostic& whole, const SourceLines* lines, const RenderStyle& style) {
  const Diagnostic d = Shortened(whole);
  switch (style.format) {
    case ErrorFormat::kShort:
      return Short(d);
    case ErrorFormat::kJson:
      return JsonOnOneLine(DiagnosticJson(d, lines)) + "\n";
    default:
      return Human(d, lines, Paint(style.color));
  }
}

// "3 errors, 1 warning"
std::string CountText(const Diagnostics& diagnostics) {
  const std::vector<Diagnostic>& all = diagnostics.all();
  const size_t errors = static_cast<size_t>(std::count_if(all.begin(), all.end(), IsError));
  const size_t warnings = all.size() - errors;
  if (warnings == 0) return Several(errors, "error");
  return errors == 0 ? Several(warnings, "warning") : Several(errors, "error") + ", " + Several(warnings, "warning");
}

// "6 errors. For details, run: opsrun explain G204"
std::string SummaryText(const Diagnostics& diagnostics) {
  const std::vector<Diagnostic>& all = diagnostics.all();
  const auto error = std::find_if(all.begin(), all.end(), IsError);
  const Code code = error == all.end() ? all.front().code : error->code;
  const std::string count = CountText(diagnostics);
  if (code.empty()) return count;
  return fmt::format("{}. For details, run: opsrun explain {}", count, code.text());
}

}  // namespace

std::string RenderDiagnostic(const Diagnostic& d, const SourceFile* source, const RenderStyle& style) {
  if (source == nullptr || style.format == ErrorFormat::kShort) return Render(d, nullptr, style);
  const SourceLines lines(*source);
  return Render(d, &lines, style);
}

std::string RenderDiagnostics(const Diagnostics& diagnostics, const SourceFile* source, const RenderStyle& style) {
  const bool human = style.format == ErrorFormat::kHuman;
  std::optional<SourceLines> lines;
  if (source != nullptr && style.format != ErrorFormat::kShort) lines.emplace(*source);
  std::string text;
  const std::vector<Diagnostic>& all = diagnostics.all();
  const size_t shown = std::min(all.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i) {
    text += Render(all[i], lines ? &*lines : nullptr, style);
    if (human && (style.summary || i + 1 < shown)) text += "\n";
  }
  if (shown < all.size())
    text += RenderRemark("note", fmt::format("{} more are not shown; fix these first", all.size() - shown), style);
  if (human && style.summary && !all.empty()) text += SummaryText(diagnostics) + "\n";
  return text;
}

std::string RenderRemark(std::string_view level, std::string_view text, const RenderStyle& style) {
  if (style.format == ErrorFormat::kJson) return JsonOnOneLine({{"level", level}, {"message", text}}) + "\n";
  const std::string_view ink = level == "ok" ? Ink::kGood : Ink::kStrong;
  return fmt::format("{} {}\n", Paint(style.color)(ink, fmt::format("{}:", level)), Printable(text));
}

}  // namespace opsrun::host

// host/yaml/scan_text.cc: our own pass over YAML text.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/scan_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

namespace opsrun::host {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t';
}
bool IsBreak(char c) {
  return c == '\n' || c == '\r';
}
bool IsFlowIndicator(char c) {
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

class Scanner {
 public:
  explicit Scanner(Reporter& reporter) : reporter_(reporter), text_(reporter.source().text) { BeginLine(0); }

  std::optional<ScannedText> Scan() {
    while (ok_ && at_ < text_.size()) Step();
    if (ok_ && !open_.empty()) ReportUnclosed(open_.back(), "is never closed");
    if (first_tab_) ReportTab();
    if (!ok_) return std::nullopt;
    return std::move(found_);
  }

 private:
  // '\n' past the end, so that the end of the text ends whatever a line's end does.
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }
  bool EndsWord(char c) const { return IsBlank(c) || IsBreak(c) || (InFlow() && IsFlowIndicator(c)); }
  bool InFlow() const { return !open_.empty(); }
  size_t Column(size_t offset) const { return offset - found_.line_begins.back(); }
  bool FirstOnLine() const { return Column(at_) == Indent(found_.line_begins.back()); }

  // Blanks at the begin of a line.
  size_t Indent(size_t line_begin) const {
    return std::min(text_.find_first_not_of(" \t", line_begin), text_.size()) - line_begin;
  }

  void BeginLine(size_t offset) {
    found_.line_begins.push_back(offset);
    at_ = offset;
    if (InFlow()) return;
    found_.block_lines.push_back(static_cast<uint32_t>(found_.line_begins.size() - 1));
    CheckTab();
    const std::string_view marker = text_.substr(offset, 3);
    if ((marker == "---" || marker == "...") && (IsBlank(Peek(3)) || IsBreak(Peek(3)))) {
      found_.documents.push_back(offset);
      at_ += 3;
    }
  }

  void CheckTab() {
    const size_t begin = found_.line_begins.back();
    const size_t content = begin + Indent(begin);
    if (content >= text_.size() || IsBreak(text_[content]) || text_[content] == '#') return;
    const size_t tab = text_.substr(begin, content - begin).find('\t');
    if (tab == std::string_view::npos) return;
    if (!first_tab_) first_tab_ = begin + tab;
    ++tab_lines_;
  }

  void Step() {
    const char c = Peek();
    if (c == '\n') return BeginLine(at_ + 1);
    if (IsBlank(c) || c == '\r') {
      ++at_;
    } else if ((c == '#' && (at_ == 0 || IsBlank(text_[at_ - 1]) || IsBreak(text_[at_ - 1]))) ||
               (c == '%' && Column(at_) == 0)) {
      SkipLine();
    } else {
      ScanToken(c);
    }
  }

  void ScanToken(char c) {
    if (c == '[' || c == '{') return Open(c);
    if (c == ']' || c == '}') return Close(c);
    if (c == '"' || c == '\'') return ScanQuoted(c);
    if (c == '&' || c == '*' || c == '!') return ScanProperty(c);
    if (c == ',' && InFlow()) return void(++at_);
    if ((c == '|' || c == '>') && !InFlow()) return ScanBlockScalar();
    if ((c == '-' || c == '?' || c == ':') && EndsWord(Peek(1))) return ScanIndicator(c);
    if (c == ':' && at_ == json_key_end_) return void(++at_);
    ScanPlain();
  }

  void ScanIndicator(char c) {
    if (!InFlow() && (c == '-' || FirstOnLine())) parent_indent_ = static_cast<int64_t>(Column(at_));
    ++at_;
  }

  void Open(char c) {
    if (open_.size() == kMaxDepth) {
      Diagnostic& error =
          Fail("G005", at_, at_ + 1, fmt::format("'{}' begins more than {} levels of lists and maps", c, kMaxDepth));
      error.help.push_back("nest less deeply");
      return;
    }
    open_.push_back(found_.extents.size());
    found_.extents.push_back({at_, at_ + 1});
    ++at_;
  }

  void Close(char c) {
    if (open_.empty()) {
      Fail("G004", at_, at_ + 1, fmt::format("'{}' closes nothing", c))
          .help.push_back("remove it, or open what it closes");
      return;
    }
    Extent& opened = found_.extents[open_.back()];
    if (text_[opened.begin] != (c == ']' ? '[' : '{'))
      return ReportUnclosed(open_.back(), fmt::format("is not closed before '{}'", c));
    opened.end = ++at_;
    json_key_end_ = at_;
    open_.pop_back();
  }

  void ReportUnclosed(size_t extent, std::string_view what) {
    const size_t begin = found_.extents[extent].begin;
    const char bracket = text_[begin];
    Diagnostic& error = Fail("G004", begin, begin + 1, fmt::format("'{}' {}", bracket, what));
    error.label = "opened here";
    error.help.push_back(fmt::format("close it with '{}'", bracket == '[' ? ']' : '}'));
  }

  // A quoted text may go on in lines that are indented more than the one where it began. A line that is not ends it for
  // the eye, so the quote was forgotten: the parser would read on to the next quote, wherever that is.
  void ScanQuoted(char quote) {
    const size_t begin = at_;
    const size_t indent = Indent(found_.line_begins.back());
    const size_t column = Column(begin);
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && quote == '"' && at_ + 1 < text_.size() && !IsBreak(text_[at_ + 1])) {
        ++at_;
      } else if (c == '\n') {
        found_.line_begins.push_back(at_ + 1);
        const size_t next = Indent(at_ + 1);
        const size_t content = at_ + 1 + next;
        if (content < text_.size() && !IsBreak(text_[content]) && next <= indent) break;
      } else if (c == quote) {
        if (quote == '"' || Peek(1) != quote) return EndQuoted(begin, column);
        ++at_;
      }
    }
    Diagnostic& error = Fail("G003", begin, begin + 1, fmt::format("the quote {} is never closed", quote));
    error.label = "opened here";
    error.help.push_back(fmt::format("write a {} at the end of the text", quote));
  }

  void EndQuoted(size_t begin, size_t column) {
    ++at_;
    found_.extents.push_back({begin, at_});
    json_key_end_ = at_;
    NoteKey(column);
  }

  // What stands between a '&', '*' or '!' and the next blank.
  void ScanProperty(char c) {
    const size_t begin = at_;
    found_.properties = true;
    while (!EndsWord(Peek())) ++at_;
    if (c == '*') found_.extents.push_back({begin, at_});
  }

  // "|" or ">" and the lines below that are indented more than their key.
  void ScanBlockScalar() {
    const size_t begin = at_;
    const size_t digit = text_.substr(at_, 3).find_first_of("123456789");
    int64_t indent =
        digit == std::string_view::npos ? -1 : std::max<int64_t>(parent_indent_, 0) + (text_[at_ + digit] - '0');
    size_t end = LineEnd(at_);
    found_.extents.push_back({begin, end});
    for (size_t line = NextLine(end); line < text_.size(); line = NextLine(LineEnd(line))) {
      const size_t content = std::min(text_.find_first_not_of(' ', line), text_.size());
      if (content == text_.size() || IsBreak(text_[content])) continue;
      const int64_t found = static_cast<int64_t>(content - line);
      if (indent < 0 && found > parent_indent_) indent = found;
      if (indent < 0 || found < indent) break;
      end = LineEnd(line);
    }
    found_.extents.back().end = end;
    while (at_ < end) {
      if (text_[at_++] == '\n') found_.line_begins.push_back(at_);
    }
  }

  // A text without quotes: to the end of its line or lines, a comment, or the end of a key.
  void ScanPlain() {
    const size_t begin = at_;
    const size_t column = Column(begin);
    size_t end = ScanPlainLine();
    while (Peek() == '\n' || Peek() == '\r') {
      const size_t line = Continuation();
      if (line == text_.size()) break;
      for (; at_ < line; ++at_) {
        if (text_[at_] == '\n') found_.line_begins.push_back(at_ + 1);
      }
      end = ScanPlainLine();
    }
    found_.extents.push_back({begin, end});
    NoteKey(column);
  }

  // Moves behind the line's part of the text, or to the line's end; answers where the last word ends.
  size_t ScanPlainLine() {
    size_t end = at_;
    for (; at_ < text_.size() && !IsBreak(text_[at_]); ++at_) {
      const char c = text_[at_];
      if (c == ':' && EndsWord(Peek(1))) break;
      if (InFlow() && IsFlowIndicator(c)) break;
      if (c == '#' && at_ > 0 && IsBlank(text_[at_ - 1])) break;
      if (!IsBlank(c)) end = at_ + 1;
    }
    return end;
  }

  // Where the text of this line goes on in a later one; the text's size if it does not.
  size_t Continuation() const {
    const size_t content = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    if (content == text_.size() || text_[content] == '#') return text_.size();
    if (InFlow()) return IsFlowIndicator(text_[content]) || text_[content] == ':' ? text_.size() : content;
    const size_t line_begin = text_.rfind('\n', content) + 1;
    if (text_.substr(line_begin, content - line_begin).find('\t') != std::string_view::npos) return text_.size();
    return static_cast<int64_t>(content - line_begin) > parent_indent_ ? content : text_.size();
  }

  // A text that ":" follows is a key: what stands under it is indented more than it is.
  void NoteKey(size_t column) {
    if (InFlow()) return;
    size_t colon = at_;
    while (colon < text_.size() && IsBlank(text_[colon])) ++colon;
    if (colon >= text_.size() || text_[colon] != ':') return;
    const char after = colon + 1 < text_.size() ? text_[colon + 1] : '\n';
    if (IsBlank(after) || IsBreak(after)) parent_indent_ = static_cast<int64_t>(column);
  }

  size_t LineEnd(size_t offset) const {
    size_t end = std::min(text_.find('\n', offset), text_.size());
    if (end > offset && text_[end - 1] == '\r') --end;
    return end;
  }
  size_t NextLine(size_t offset) const { return std::min(text_.find('\n', offset), text_.size() - 1) + 1; }
  void SkipLine() { at_ = LineEnd(at_); }

  void ReportTab() {
    Diagnostic& error = Fail("G002", *first_tab_, *first_tab_ + 1, "a tab stands in the indentation of this line");
    error.help.push_back("indent with blanks");
    if (tab_lines_ > 1) error.notes.push_back(fmt::format("tabs indent {} lines in all", tab_lines_));
  }

  Diagnostic& Fail(std::string code, size_t begin, size_t end, std::string message) {
    ok_ = false;
    return reporter_.Error(std::move(code), {found_.PositionAt(begin), found_.PositionAt(end)}, std::move(message));
  }

  Reporter& reporter_;
  std::string_view text_;
  size_t at_ = 0;
  bool ok_ = true;
  std::vector<size_t> open_;        // extents of the brackets that are open
  int64_t parent_indent_ = -1;      // column of the key or '-' that owns what comes next
  size_t json_key_end_ = SIZE_MAX;  // after a quote or bracket in a flow map ':' needs no blank
  std::optional<size_t> first_tab_;
  size_t tab_lines_ = 0;
  ScannedText found_;
};

}  // namespace

Position ScannedText::PositionAt(size_t offset, uint32_t line) const {
  const bool right = offset >= line_begins[line - 1] && (line == line_begins.size() || offset < line_begins[line]);
  if (right) return {line, static_cast<uint32_t>(offset - line_begins[line - 1]) + 1};
  const auto next = std::upper_bound(line_begins.begin(), line_begins.end(), offset);
  return {static_cast<uint32_t>(next - line_begins.begin()), static_cast<uint32_t>(offset - *(next - 1)) + 1};
}

const Extent* ScannedText::ExtentFrom(size_t offset, size_t& near) const {
  constexpr size_t kNear = 4;
  if (near < extents.size() && extents[near].begin <= offset) {
    for (size_t i = near; i < std::min(near + kNear, extents.size()); ++i) {
      if (extents[i].begin < offset) continue;
      near = i;
      return &extents[i];
    }
  }
  const auto extent = std::lower_bound(extents.begin(), extents.end(), offset,
                                       [](const Extent& each, size_t wanted) { return each.begin < wanted; });
  near = static_cast<size_t>(extent - extents.begin());
  return extent == extents.end() ? nullptr : &*extent;
}

std::optional<ScannedText> ScanText(Reporter& reporter) {
  return Scanner(reporter).Scan();
}

}  // namespace opsrun::host

// host/yaml/pieces.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>

#include "host/yaml/duplicate_keys.h"
#include "host/yaml/reporter.h"
#include "host/yaml/tree_builder.h"

namespace opsrun::host {
namespace {

// A key at the margin, the lines below it that are indented, and where its entries begin.
struct Section {
  uint32_t line = 0;  // from 0
  uint32_t end = 0;   // the line after the last
  size_t indent = 0;  // of its entries; 0: none was found yet
  bool regular = true;
  std::vector<uint32_t> entries;  // their first lines

  bool cuttable() const { return regular && entries.size() > 1; }
};

class SectionFinder {
 public:
  SectionFinder(std::string_view text, const ScannedText& scanned) : text_(text), scanned_(scanned) {}

  // Not cuttable if there is none that is.
  Section Longest() {
    for (const uint32_t line : scanned_.block_lines) Look(line);
    End(static_cast<uint32_t>(scanned_.line_begins.size()));
    return std::move(longest_);
  }

  size_t Begin(uint32_t line) const {
    return line < scanned_.line_begins.size() ? scanned_.line_begins[line] : text_.size();
  }

 private:
  void Look(uint32_t line) {
    const size_t begin = Begin(line);
    const size_t content = text_.find_first_not_of(" \t\r", begin);
    if (content == std::string_view::npos || text_[content] == '\n' || text_[content] == '#') return;
    const size_t indent = content - begin;
    if (indent == 0) {
      End(line);
      current_ = Section{.line = line};
    } else {
      AddLine(line, indent, text_[content]);
    }
  }

  void AddLine(uint32_t line, size_t indent, char first) {
    Section& section = current_;
    if (section.indent == 0) section.indent = indent;
    if (indent < section.indent) section.regular = false;
    if (indent != section.indent) return;
    const bool key =
        std::isalnum(static_cast<unsigned char>(first)) != 0 || first == '_' || first == '\'' || first == '"';
    if (!key) section.regular = false;
    section.entries.push_back(line);
  }

  void End(uint32_t line) {
    current_.end = line;
    if (current_.cuttable() && Bytes(current_) > Bytes(longest_)) longest_ = std::move(current_);
  }

  size_t Bytes(const Section& section) const { return Begin(section.end) - Begin(section.line); }

  std::string_view text_;
  const ScannedText& scanned_;
  Section current_{.regular = false};  // before the first key
  Section longest_;
};

// An entry that keeps a map open. Its key is no name that a graph can have, so that it is another than those around it.
std::string FillerLine(std::string_view key, size_t indent) {
  return fmt::format("{:{}}{}: _\n", "", indent, key);
}

// What stands before a piece takes two lines: a key, and a filler below it.
constexpr uint32_t kLinesBefore = 2;

// What follows a piece begins where the next entry would, or, behind the last, at the margin.
std::string PieceText(std::string_view entries, size_t indent, bool last) {
  return fmt::format("_:\n{}{}{}", FillerLine("_begin.", indent), entries, FillerLine("_end.", last ? 0 : indent));
}

// First lines of pieces of about the same size.
std::vector<uint32_t> Cuts(const SectionFinder& found, const Section& section, size_t pieces) {
  const size_t begin = found.Begin(section.entries.front());
  const size_t bytes = found.Begin(section.end) - begin;
  std::vector<uint32_t> cuts = {section.entries.front()};
  for (size_t i = 1; i < pieces; ++i) {
    const size_t wanted = begin + bytes / pieces * i;
    const auto entry = std::partition_point(section.entries.begin(), section.entries.end() - 1,
                                            [&](uint32_t line) { return found.Begin(line) < wanted; });
    if (*entry > cuts.back()) cuts.push_back(*entry);
  }
  return cuts;
}

bool AllWhole(const std::vector<ParsedText>& parts) {
  size_t values = 0;
  for (const ParsedText& part : parts) {
    if (!part.root || part.root->kind != Value::Kind::kMap || !part.diagnostics.all().empty()) return false;
    values += part.values;
  }
  return !parts.empty() && values <= kMaxValues;
}

bool HasDuplicateKeys(Value& map, const SourceFile& source) {
  Diagnostics found;
  Reporter reporter(source, found);
  DropDuplicateKeys(map, "", reporter);
  return found.has_errors();
}

// The value that holds the filler and nothing else; null if there is none.
Value* FilledSection(Value& root, uint32_t line) {
  for (Value::Entry& entry : root.entries) {
    if (entry.key_span.begin.line == line) return entry.value.entries.size() == 1 ? &entry.value : nullptr;
  }
  return nullptr;
}

// Adds the entries of a piece, without the fillers. False unless it is what PieceText says.
bool Append(Value piece, bool last, Value& map) {
  if (piece.entries.size() != (last ? 2 : 1)) return false;
  std::vector<Value::Entry>& more = piece.entries[0].value.entries;
  const size_t fillers = last ? 1 : 2;
  if (more.size() <= fillers) return false;
  std::move(more.begin() + 1, more.end() - static_cast<ptrdiff_t>(fillers - 1), std::back_inserter(map.entries));
  return true;
}

}  // namespace

std::optional<CutText> CutLongestSection(std::string_view text, const ScannedText& scanned, size_t most,
                                         size_t least_bytes) {
  if (most < 2 || text.size() < 2 * least_bytes || !text.ends_with('\n')) return std::nullopt;
  if (scanned.properties || !scanned.documents.empty()) return std::nullopt;
  SectionFinder found(text, scanned);
  const Section section = found.Longest();
  if (!section.cuttable() || section.entries.front() < kLinesBefore) return std::nullopt;
  const size_t first = found.Begin(section.entries.front()), end = found.Begin(section.end);
  const std::vector<uint32_t> cuts =
      Cuts(found, section, std::min(most, (end - first) / std::max<size_t>(least_bytes, 1)));
  if (cuts.size() < 2) return std::nullopt;
  CutText cut;
  cut.section_line = section.line + 1;
  for (size_t i = 0; i < cuts.size(); ++i) {
    const bool last = i + 1 == cuts.size();
    const size_t begin = found.Begin(cuts[i]), next = last ? end : found.Begin(cuts[i + 1]);
    cut.pieces.push_back({PieceText(text.substr(begin, next - begin), section.indent, last), cuts[i] - kLinesBefore});
  }
  const std::string empty_lines(section.end - cuts.front() - 1, '\n');
  cut.rest.text =
      fmt::format("{}{}{}{}", text.substr(0, first), FillerLine("_", section.indent), empty_lines, text.substr(end));
  return cut;
}

std::optional<Value> JoinParts(const SourceFile& source, uint32_t section_line, std::vector<ParsedText> parts) {
  if (!AllWhole(parts)) return std::nullopt;
  Value& root = *parts.front().root;
  Value* const section = FilledSection(root, section_line);
  if (section == nullptr) return std::nullopt;
  section->entries.clear();
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!Append(std::move(*parts[i].root), i + 1 == parts.size(), *section)) return std::nullopt;
  }
  if (HasDuplicateKeys(*section, source)) return std::nullopt;
  section->span.end = EndOfBlock(*section);
  root.span.end = EndOfBlock(root);
  return std::move(root);
}

}  // namespace opsrun::host

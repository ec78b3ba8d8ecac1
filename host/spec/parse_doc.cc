// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/base/near_names.h"
#include "host/spec/parse_op.h"

namespace opsrun::host::spec {
namespace {

using Lines = std::vector<std::string_view>;

std::string_view WithoutTrailingBlanks(std::string_view line) {
  while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
  return line;
}

Lines SplitLines(std::string_view text) {
  Lines lines;
  for (;;) {
    const size_t end = text.find('\n');
    lines.push_back(WithoutTrailingBlanks(text.substr(0, end)));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

// The name in a line "name: ..", or empty. *text: the text after the colon.
std::string_view ArgName(std::string_view line, std::string_view* text) {
  TextCursor cursor(line);
  std::string_view name = cursor.TakeName();
  cursor.SkipBlanks();
  if (name.empty() || !cursor.Take(':')) return {};
  cursor.SkipBlanks();
  *text = cursor.Rest();
  return name;
}

void DropBlankEnds(Lines* lines) {
  while (!lines->empty() && lines->back().empty()) lines->pop_back();
  auto first = std::find_if(lines->begin(), lines->end(), [](std::string_view line) { return !line.empty(); });
  lines->erase(lines->begin(), first);
}

std::string Join(const Lines& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

size_t Indent(std::string_view line) {
  return static_cast<size_t>(std::find_if(line.begin(), line.end(), [](char c) { return c != ' '; }) - line.begin());
}

// Removes the common indent of all lines but the first.
std::string JoinArgText(Lines lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  size_t common = std::string_view::npos;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!lines[i].empty()) common = std::min(common, Indent(lines[i]));
  }
  for (size_t i = 1; i < lines.size(); ++i) lines[i].remove_prefix(std::min(common, lines[i].size()));
  return Join(lines);
}

std::string* FindDoc(OpDef* op, std::string_view name) {
  if (ArgDef* input = FindNamed(op->inputs, name)) return &input->doc;
  if (ArgDef* output = FindNamed(op->outputs, name)) return &output->doc;
  AttrDef* const attr = FindNamed(op->attrs, name);
  return attr == nullptr ? nullptr : &attr->doc;
}

SpecError UnknownName(const std::string& doc, std::string_view name, const OpDef& op) {
  std::vector<std::string> names;
  for (const ArgDef& arg : op.inputs) names.push_back(arg.name);
  for (const ArgDef& arg : op.outputs) names.push_back(arg.name);
  for (const AttrDef& attr : op.attrs) names.push_back(attr.name);
  return {"parse",
          "doc_name",
          "Doc",
          doc,
          static_cast<size_t>(name.data() - doc.data()),
          "'" + std::string(name) + "' is not an input, output or attr of this op; " +
              DidYouMean(name, names, "inputs, outputs and attrs")};
}

}  // namespace

std::optional<SpecError> ParseDoc(const std::string& doc, OpDef* op) {
  const Lines lines = SplitLines(doc);
  size_t next = 0;
  std::string_view text;
  while (next < lines.size() && lines[next].empty()) ++next;
  if (next == lines.size()) return std::nullopt;
  op->summary = lines[next++];

  Lines description;
  while (next < lines.size() && ArgName(lines[next], &text).empty()) description.push_back(lines[next++]);
  DropBlankEnds(&description);
  op->description = Join(description);

  while (next < lines.size()) {
    const std::string_view name = ArgName(lines[next], &text);
    Lines about = {text};
    std::string_view ignored;
    for (++next; next < lines.size() && ArgName(lines[next], &ignored).empty(); ++next) about.push_back(lines[next]);
    std::string* target = FindDoc(op, name);
    if (target == nullptr) return UnknownName(doc, name, *op);
    *target = JoinArgText(std::move(about));
  }
  return std::nullopt;
}

}  // namespace opsrun::host::spec

// host/show/render_diagnostics.cc: all formats, and the choice between them.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/render_diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/show/json_text.h"
#include "host/show/source_snippet.h"

namespace opsrun::host {
namespace {

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
  return text;
}

std::string Short(const Diagnostic& d) {
  std::string line = d.file.empty() ? "" : PlaceText(d) + ": ";
  line += fmt::format("{}: {}", Heading(d), d.message);
  if (!d.help.empty()) line += "; " + d.help.front();
  line = Printable(line);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + "\n";
}

Json PositionJson(const Position& p, const SourceLines* lines) {
  const std::optional<size_t> byte = lines == nullptr ? std::nullopt : lines->ByteOffset(p);
  return {{"line", p.line}, {"column", p.column}, {"byte", byte ? Json(*byte) : Json()}};
}

Json SpanJson(const Label& label, bool primary, const SourceLines* lines) {
  return {{"primary", primary},
          {"label", label.text},
          {"begin", PositionJson(label.span.begin, lines)},
          {"end", PositionJson(label.span.end, lines)}};
}

// docs/diagnostics.md documents each field. byte is null if the source lines are not available. Invalid UTF-8 becomes
// U+FFFD.
std::string DiagnosticJson(const Diagnostic& d, const SourceLines* lines) {
  const SourceLines* of_file = lines != nullptr && lines->path() == d.file ? lines : nullptr;
  Json spans = Json::array();
  if (d.where.known()) spans.push_back(SpanJson({d.where, d.label}, true, of_file));
  for (const Label& label : d.also) {
    if (label.span.known()) spans.push_back(SpanJson(label, false, of_file));
  }
  return JsonOnOneLine({{"level", IsError(d) ? "error" : "warning"},
                        {"code", d.code.text()},
                        {"message", d.message},
                        {"file", OrNull(d.file)},
                        {"spans", spans},
                        {"suggestion", OrNull(d.suggestion)},
                        {"help", Json(d.help)},
                        {"notes", Json(d.notes)}}) +
         "\n";
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
      return DiagnosticJson(d, lines);
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

// host/graph/read_requires.cc: the section "requires".
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string>
#include <utility>

#include "host/graph/fields.h"
#include "host/graph/read_sections.h"

namespace opsrun::host {
namespace {

// The place of bytes [begin, end) of a scalar's text, if it was written on one line as it reads; otherwise all of it.
Span PlaceWithin(const Value& value, size_t begin, size_t end) {
  const Span& whole = value.span;
  const size_t quote = value.quoted ? 1 : 0;
  const bool as_it_reads =
      whole.begin.line == whole.end.line && whole.end.column - whole.begin.column == value.text.size() + 2 * quote;
  if (!as_it_reads) return whole;
  const auto column = [&](size_t offset) { return static_cast<uint32_t>(whole.begin.column + quote + offset); };
  return {{whole.begin.line, column(begin)}, {whole.begin.line, column(end)}};
}

void ReadRequirement(const Value::Entry& entry, Graph& graph, Reporter& reporter) {
  const Value& value = entry.value;
  const std::string help = "write a range such as \">= 1.2, < 2\", or \"*\" for any version";
  if (!CheckKind(value, Value::Kind::kScalar, fmt::format("the version of plugin {}", Quote(entry.key)), help,
                 reporter)) {
    return;
  }
  RangeMistake mistake;
  std::optional<VersionRange> range = ParseVersionRange(value.text, &mistake);
  if (range) {
    graph.requirements.push_back({{entry.key, entry.key_span}, {value.text, value.span}, *std::move(range)});
    return;
  }
  reporter.Refuse("G111", PlaceWithin(value, mistake.begin, mistake.end), std::move(mistake.message),
                  std::move(mistake.help));
}

}  // namespace

void ReadRequires(const Value& section, Graph& graph, Reporter& reporter) {
  const char* const help = "write each plugin as NAME: \">= 1.2, < 2\"";
  if (!CheckKind(section, Value::Kind::kMap, "'requires'", help, reporter)) return;
  for (const Value::Entry& entry : section.entries) ReadRequirement(entry, graph, reporter);
}

}  // namespace opsrun::host

// host/show/sort_mistakes.cc: which errors belong to which part of a graph.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "host/show/graph_dot.h"

namespace opsrun::host {
namespace {

constexpr Code kCycle = "G205";

// A part of the file that belongs to one feed, node or output.
struct Part {
  Span span;
  Mistakes* mistakes = nullptr;
};

Position BeginOf(const Part& part) {
  return part.span.begin;
}

template <typename List, typename SpanOf>
void AddParts(const List& list, SpanOf span_of, std::vector<Mistakes>& mistakes, std::vector<Part>& parts) {
  mistakes.resize(list.size());
  for (size_t i = 0; i < list.size(); ++i) parts.push_back({span_of(list[i]), &mistakes[i]});
}

// From the name to the end of the value.
template <typename T>
Span Whole(const T& part) {
  return {part.name.span.begin, part.span.end};
}

// The end of an output is not recorded; this covers its name and reference.
Span WholeOutput(const GraphOutput& output) {
  const Position end = output.from.span.end;
  return {output.name.span.begin, output.file() == nullptr ? end : std::max(end, output.file()->span.end)};
}

// The errors of the part that contains the place; null if there is none.
Mistakes* Find(const std::vector<Part>& parts, const Span& where) {
  const auto after = std::ranges::upper_bound(parts, where.begin, {}, BeginOf);
  const bool inside = where.known() && after != parts.begin() && where.begin < std::prev(after)->span.end;
  return inside ? std::prev(after)->mistakes : nullptr;
}

// An error with several places, such as a cycle, belongs to all nodes at these places.
void AddToOthers(const std::vector<Part>& parts, const Diagnostic& d, const Mistakes* first) {
  for (const Label& label : d.also) {
    Mistakes* const mistakes = Find(parts, label.span);
    if (mistakes != nullptr && mistakes != first) mistakes->push_back(&d);
  }
}

}  // namespace

MistakesByPart SortMistakes(const Graph& graph, const Diagnostics& diagnostics) {
  MistakesByPart sorted;
  std::vector<Part> parts;
  AddParts(graph.feeds, Whole<Feed>, sorted.feeds, parts);
  AddParts(graph.nodes, Whole<Node>, sorted.nodes, parts);
  AddParts(graph.outputs, WholeOutput, sorted.outputs, parts);
  std::ranges::sort(parts, {}, BeginOf);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Diagnostic::Severity::kError) continue;
    Mistakes* const mistakes = Find(parts, d.where);
    (mistakes != nullptr ? *mistakes : sorted.others).push_back(&d);
    if (d.code == kCycle) AddToOthers(parts, d, mistakes);
  }
  return sorted;
}

}  // namespace opsrun::host

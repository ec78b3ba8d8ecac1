// host/show/wiring.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/wiring.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/show/config_text.h"

namespace opsrun::host {
namespace {

using spec::ArgDef;

int IndexOf(const std::vector<ArgDef>& args, const std::string& name) {
  const auto found = std::find_if(args.begin(), args.end(), [&](const ArgDef& arg) { return arg.name == name; });
  return found == args.end() ? -1 : static_cast<int>(found - args.begin());
}

int OutputArg(const std::vector<ArgDef>& outputs, const std::string& name) {
  if (!name.empty()) return IndexOf(outputs, name);
  return outputs.size() == 1 ? 0 : -1;
}

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

Wiring::Wiring(const Graph& graph, const Resolution& resolution) : graph_(graph), resolution_(resolution) {
  for (uint32_t i = 0; i < graph.feeds.size(); ++i) {
    Source feed{Source::Kind::kFeed, i};
    const bool known = i < resolution.feed_values.size() && resolution.feed_values[i] != ResolvedNode::kNone;
    if (known) feed.values = {resolution.feed_values[i]};
    names_.emplace(graph.feeds[i].name.value, std::move(feed));
  }
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    names_.emplace(graph.nodes[i].name.value, Source{Source::Kind::kNode, i});
  }
}

const ResolvedNode& Wiring::Resolved(size_t node) const {
  static const ResolvedNode nothing;
  return node < resolution_.nodes.size() ? resolution_.nodes[node] : nothing;
}

Source Wiring::Find(const Reference& reference) const {
  const auto found = names_.find(reference.name);
  if (found == names_.end()) return {};
  return found->second.kind == Source::Kind::kFeed ? found->second : FindOutput(found->second.index, reference);
}

Source Wiring::FindOutput(uint32_t node, const Reference& reference) const {
  Source source{Source::Kind::kNode, node};
  const ResolvedNode& resolved = Resolved(node);
  if (resolved.op == nullptr) return source;
  source.arg = OutputArg(resolved.op->def.outputs, reference.output);
  if (source.arg < 0 || !resolved.signature || resolved.first_output == ResolvedNode::kNone) return source;
  const spec::ArgRange& range = resolved.signature->out_args[static_cast<size_t>(source.arg)];
  const uint32_t first = resolved.first_output + range.first;
  source.element = range.list && reference.index >= 0;
  for (uint32_t i = 0; i < range.count; ++i) {
    if (reference.index < 0 || reference.index == i) source.values.push_back(first + i);
  }
  return source;
}

std::string Wiring::TypeText(const std::vector<uint32_t>& values) const {
  std::string text;
  for (const uint32_t value : values) {
    const std::string one = ValueText(resolution_.values[value]);
    if (!text.empty() && one != text) return fmt::format("{} tensors", values.size());
    text = one;
  }
  return values.size() > 1 ? fmt::format("{} \u00d7 {}", values.size(), text) : text;
}

int InputArg(const Node& node, const ResolvedNode& resolved, size_t i) {
  if (resolved.op == nullptr) return -1;
  const std::vector<ArgDef>& inputs = resolved.op->def.inputs;
  const NodeInput& input = node.inputs[i];
  if (!input.arg.value.empty()) return IndexOf(inputs, input.arg.value);
  if (inputs.size() == 1) return 0;  // a list takes all inputs given by position
  return i < inputs.size() ? static_cast<int>(i) : -1;
}

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

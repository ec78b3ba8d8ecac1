// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "host/graph/read_graph.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

// The gradient is planned for every node of the op, so an untrusted text must not make it too large.
constexpr size_t kMaxNodes = 1000;
constexpr int64_t kMaxElements = 1 << 20;

// Files and arrays of a run belong to a graph, not to an op.
void RefuseFeedsWithoutValue(const Graph& graph, Reporter& reporter) {
  for (const Feed& feed : graph.feeds) {
    if (feed.source == Feed::Source::kValue || feed.source == Feed::Source::kFill) continue;
    reporter.Refuse("F101", feed.span, fmt::format("feed '{}' of a gradient is not a constant", feed.name.value),
                    "give it a 'value' or a 'fill'; inputs and outputs of the op need no feed");
  }
}

// Called before tensors are filled.
bool CheckFills(const Value* feeds, Reporter& reporter) {
  if (feeds == nullptr) return true;
  bool ok = true;
  for (const Value::Entry& feed : feeds->entries) {
    const Value* const shape = feed.value.Find("shape");
    int64_t elements = 1;
    for (size_t i = 0; shape != nullptr && i < shape->items.size(); ++i) {
      const int64_t size = std::clamp(AsInt(shape->items[i]).value_or(1), int64_t{0}, kMaxElements + 1);
      elements = std::min(elements * size, kMaxElements + 1);
    }
    if (elements <= kMaxElements) continue;
    ok = reporter.Refuse("F101", shape->span,
                         fmt::format("feed '{}' of a gradient has more than {} elements", feed.key, kMaxElements),
                         "use an op that fills a tensor, such as Fill or BroadcastTo");
  }
  return ok;
}

bool ReadFrom(const Value& value, GradientOutput& output, Reporter& reporter) {
  return Take(ReadReference(value, reporter, /*of_lists=*/true), output.from.emplace_back());
}

// INPUT: REFERENCE, INPUT: [REFERENCE, ...], or INPUT: null
void ReadOutput(const Value::Entry& entry, std::vector<GradientOutput>& outputs, Reporter& reporter) {
  GradientOutput output;
  output.input = {entry.key, entry.key_span};
  output.span = entry.value.span;
  output.null = entry.value.kind == Value::Kind::kNull;
  output.list = entry.value.kind == Value::Kind::kList;
  bool ok = true;
  for (const Value& item : entry.value.items) ok = ReadFrom(item, output, reporter) && ok;
  if (!output.null && !output.list) ok = ReadFrom(entry.value, output, reporter);
  if (ok) outputs.push_back(std::move(output));
}

void ReadGradients(const Value* section, const Value& root, DeclaredGradient& gradient, Reporter& reporter) {
  const char* const help = "write outputs: {INPUT: NODE, ...}, with null for an input that has no gradient";
  if (section == nullptr) {
    const Span where = root.entries.empty() ? root.span : root.entries.front().key_span;
    if (!root.incomplete) reporter.Refuse("G106", where, "this gradient has no 'outputs'", help);
  } else if (CheckKind(*section, Value::Kind::kMap, "'outputs' of a gradient", help, reporter)) {
    gradient.outputs_span = section->span;
    for (const Value::Entry& entry : section->entries) ReadOutput(entry, gradient.outputs, reporter);
  }
}

constexpr char kHelp[] =
    "write slices: {INPUT: {values: grad.OUTPUT, indices: INPUT}}; of index vectors, 'vectors' for 'indices'";

bool ReadKey(const Value& slices, const char* key, Reference& reference, Reporter& reporter) {
  return Take(ReadReference(*slices.Find(key), reporter), reference);
}

bool ReadBatchDims(const Value* value, GradientSlices& slices, Reporter& reporter) {
  if (value == nullptr || Take(AsInt(*value), slices.batch_dims)) return true;
  return reporter.Refuse("G105", value->span,
                         fmt::format("'batch_dims' must be an integer, found {}", FoundText(*value)),
                         "write a number, or {attr: NAME}");
}

void ReadInput(Value::Entry& entry, DeclaredGradient& gradient, Reporter& reporter) {
  static const Fields fields{"a gradient's slices", {"values", "indices", "vectors", "axis", "batch_dims"}, {}};
  if (!CheckKind(entry.value, Value::Kind::kMap, fmt::format("the slices of '{}'", entry.key), kHelp, reporter)) return;
  CorrectKeys(entry.value, fields, reporter);
  GradientSlices slices;
  slices.input = {entry.key, entry.key_span};
  slices.vectors = entry.value.Find("vectors") != nullptr;
  const char* const indices = slices.vectors ? "vectors" : "indices";
  if (entry.value.Find("values") == nullptr || entry.value.Find(indices) == nullptr ||
      (slices.vectors && entry.value.Find("indices") != nullptr)) {
    if (!entry.value.incomplete) {
      reporter.Refuse("G106", entry.key_span,
                      fmt::format("the slices of '{}' need 'values', and either 'indices' or 'vectors'", entry.key),
                      kHelp);
    }
    return;
  }
  bool ok = ReadKey(entry.value, "values", slices.values, reporter);
  ok = ReadKey(entry.value, indices, slices.indices, reporter) && ok;
  if (entry.value.Find("axis") != nullptr) ok = ReadKey(entry.value, "axis", slices.axis.emplace(), reporter) && ok;
  if (ReadBatchDims(entry.value.Find("batch_dims"), slices, reporter) && ok)
    gradient.slices.push_back(std::move(slices));
}

// Reads the section `slices`, and corrects misspelled keys.
void ReadSlices(Value& section, DeclaredGradient& gradient, Reporter& reporter) {
  if (!CheckKind(section, Value::Kind::kMap, "'slices' of a gradient", kHelp, reporter)) return;
  for (Value::Entry& entry : section.entries) ReadInput(entry, gradient, reporter);
}

}  // namespace

std::optional<DeclaredGradient> ReadGradient(Value root, std::shared_ptr<const SourceFile> source,
                                             Diagnostics& diagnostics) {
  const size_t errors_before = diagnostics.all().size();
  Reporter reporter(*source, diagnostics);
  DeclaredGradient gradient;
  Graph& graph = gradient.graph;
  graph.source = source;
  if (!CheckKind(root, Value::Kind::kMap, "a gradient", "write outputs: {INPUT: NODE}", reporter)) return std::nullopt;
  static const Fields fields{"a gradient", {"opsrun", "description", "feeds", "nodes", "outputs", "slices"}, {}};
  CorrectKeys(root, fields, reporter);
  if (root.Find("opsrun") != nullptr && !CheckFormat(root, "gradient", reporter)) return std::nullopt;
  if (!CheckFills(root.Find("feeds"), reporter)) return std::nullopt;
  if (Value* feeds = root.Find("feeds")) ReadFeeds(*feeds, graph, reporter);
  if (Value* nodes = root.Find("nodes")) ReadNodes(*nodes, /*of_gradient=*/true, graph, reporter);
  DropNodesNamedLikeFeeds(graph, reporter);
  RefuseFeedsWithoutValue(graph, reporter);
  ReadGradients(root.Find("outputs"), root, gradient, reporter);
  if (Value* slices = root.Find("slices")) ReadSlices(*slices, gradient, reporter);
  if (graph.nodes.size() > kMaxNodes) {
    reporter.Refuse("G302", graph.nodes.back().name.span,
                    fmt::format("this gradient has {} nodes, more than {}", graph.nodes.size(), kMaxNodes),
                    "write an op that computes what these nodes do");
  }
  if (diagnostics.all().size() != errors_before) return std::nullopt;
  return gradient;
}

}  // namespace opsrun::host

// SPDX-License-Identifier: Apache-2.0
#include "host/plan/planning.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/diagnostic.h"
#include "host/plan/match_node.h"

namespace opsrun::host {

Planning::Planning(const PlanInputs& inputs, Diagnostics& found, Plan& the_plan)
    : in(inputs),
      graph(*inputs.graph),
      diagnostics(found),
      reporter(*graph.source, found),
      plan(the_plan),
      found_before(found.all().size()),
      left_out(graph.left_out.begin(), graph.left_out.end()) {
  for (const OpTrouble& trouble : inputs.loaded->trouble) troubles.emplace(trouble.op, &trouble);
}

Diagnostic& Planning::Error(Code code, std::string message, Span where, std::string label) {
  Diagnostic& error = reporter.Error(code, where, std::move(message));
  error.label = std::move(label);
  return error;
}

ErrorReported Planning::Refuse(Code code, std::string message, Span where, std::string help) {
  return reporter.Refuse(code, where, std::move(message), std::move(help));
}

void Planning::Reserve(size_t nodes) {
  plan.steps.reserve(nodes);
  const size_t values = plan.values.size() + nodes;
  plan.values.reserve(values);
  value_shapes.reserve(values);
  elements.reserve(values);
  fold_cost.reserve(values);
}

KnownNodes& Planning::Known(const SignaturePtr& signature) {
  constexpr size_t kMost = 256;
  const auto known = known_nodes.find(signature);
  if (known != known_nodes.end()) return known->second;
  if (known_nodes.size() == kMost) known_nodes.clear();
  return known_nodes[signature];
}

uint32_t Planning::AddValue(DType dtype, const opsrun_shape* shape) {
  PlanValue value;
  value.dtype = dtype;
  value.rank_known = shape->rank >= 0;
  return AddValue(value, shape);
}

uint32_t Planning::AddValue(const PlanValue& value, const opsrun_shape* shape) {
  plan.values.push_back(value);
  value_shapes.push_back(shape);
  elements.push_back(nullptr);
  fold_cost.push_back(PlanValue::kNone);
  return static_cast<uint32_t>(plan.values.size() - 1);
}

const Tensor* Planning::ConstantOf(uint32_t value) const {
  const PlanValue& v = plan.values[value];
  return v.memory == PlanValue::Memory::kConstant ? &plan.constants[v.offset] : nullptr;
}

void Planning::ReportUnknownName(const std::string& name, Span where) {
  Diagnostic& error = Error("G204", fmt::format("no feed or node named '{}'", name), where, "unknown feed or node");
  if (!IsWorthExplaining()) return;
  std::vector<std::string> all;
  all.reserve(graph.feeds.size() + graph.nodes.size());
  for (const Feed& feed : graph.feeds) all.push_back(feed.name.value);
  for (const Node& node : graph.nodes) all.push_back(node.name.value);
  SuggestName(error, name, all, "feeds and nodes");
}

bool Planning::IsComplete() const {
  const auto is_error = [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::kError; };
  return in.held_back.empty() && left_out.empty() &&
         std::none_of(diagnostics.all().begin() + static_cast<ptrdiff_t>(found_before), diagnostics.all().end(),
                      is_error);
}

// Users do not read that many errors, and an explanation may visit every node.
bool Planning::IsWorthExplaining() const {
  constexpr size_t kRead = 100;
  return diagnostics.all().size() <= kRead && graph.compiled == nullptr;
}

const OpTrouble* Planning::TroubleWith(const std::string& op) const {
  const auto found = troubles.find(op);
  return found == troubles.end() ? nullptr : found->second;
}

bool Planning::LeftOut(const std::string& name) const {
  return left_out.count(name) > 0;
}

// The op of a node.

// The deprecated version is that of TensorFlow's graph format, so warns about every use.
void WarnIfDeprecated(const Graph& graph, const Node& node, const RegisteredOp& op, Diagnostics& diagnostics) {
  if (op.def.deprecated_version == 0) return;
  const std::string text = op.def.deprecated_text.empty() ? "" : ": " + op.def.deprecated_text;
  Diagnostic& warning = diagnostics.Warning("G220", fmt::format("op '{}' is deprecated{}", op.def.name, text));
  warning.file = graph.source->path;
  warning.where = node.op.span;
  warning.help = {"it still works; replace it before the plugin removes it"};
}

const RegisteredOp* FindOp(Planning& p, const Node& node) {
  if (std::binary_search(p.in.held_back.begin(), p.in.held_back.end(), node.op.value)) return nullptr;
  const bool in_trouble = p.TroubleWith(node.op.value) != nullptr;
  const RegisteredOp* op = in_trouble ? nullptr : p.in.loaded->registry.FindOp(node.op.value);
  if (op == nullptr) {
    ReportNoOp(p, node);
  } else {
    WarnIfDeprecated(p.graph, node, *op, p.diagnostics);
  }
  return op;
}

// The values of "node", "node.output" and "node.output.i".

namespace {

using Values = std::optional<std::vector<uint32_t>>;

Values FeedValue(Planning& p, const Reference& reference, uint32_t feed) {
  if (!reference.output.empty()) {
    return p.Refuse("G206", fmt::format("feed '{}' has no outputs to choose from", reference.name), reference.span,
                    fmt::format("write '{}'", reference.name));
  }
  if (p.feed_values[feed] == PlanValue::kNone) return std::nullopt;
  return std::vector<uint32_t>{p.feed_values[feed]};
}

Values RangeValues(Planning& p, const Reference& reference, const spec::ArgRange& range, uint32_t first_value,
                   bool* list) {
  const uint32_t first = first_value + range.first;
  if (reference.index < 0) {
    *list = range.list;
    std::vector<uint32_t> values;
    for (uint32_t i = 0; i < range.count; ++i) values.push_back(first + i);
    return values;
  }
  if (!range.list) {
    return p.Refuse("G208",
                    fmt::format("output '{}' of node '{}' is not a list, so there is no element {}", range.name,
                                reference.name, reference.index),
                    reference.span, fmt::format("write '{}.{}'", reference.name, range.name));
  }
  if (reference.index >= range.count) {
    return p.Refuse("G208",
                    fmt::format("output '{}' of node '{}' has {} elements, so there is no element {}", range.name,
                                reference.name, range.count, reference.index),
                    reference.span, "elements are counted from 0");
  }
  return std::vector<uint32_t>{first + static_cast<uint32_t>(reference.index)};
}

}  // namespace

std::optional<std::vector<uint32_t>> FindValues(Planning& p, const Reference& reference, const NameTarget& target,
                                                bool* list) {
  *list = false;
  if (target.kind == NameTarget::Kind::kNothing) return std::nullopt;  // reported by PlanOrder or PlanOutputs
  if (target.kind == NameTarget::Kind::kFeed) return FeedValue(p, reference, target.index);
  const NodeState& node = p.nodes[target.index];
  if (node.op == nullptr) return std::nullopt;
  const std::optional<size_t> output = FindOutput(reference, node.op->def, p.reporter);
  if (!output || node.signature == nullptr) return std::nullopt;
  return RangeValues(p, reference, node.signature->out_args[*output], node.first_value, list);
}

}  // namespace opsrun::host

// host/plan/explain/origins.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/explain/origins.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/plan/explain/attrs.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostMarked = 4;  // more marks would hide the one that matters

bool SamePlace(const Span& a, const Span& b) {
  return a.begin.line == b.begin.line && a.begin.column == b.begin.column;
}

void Mark(const Span& where, std::string text, Diagnostic& d) {
  if (!where.known() || SamePlace(where, d.where) || d.also.size() >= kMostMarked) return;
  for (const Label& label : d.also) {
    if (SamePlace(label.span, where)) return;
  }
  d.also.push_back({where, std::move(text)});
}

void AddOrigin(const Planning& p, const ReachingValues& input, size_t i, Diagnostic& d) {
  const std::string dtype = DTypeName(p.plan.values[input.values[i]].dtype);
  const std::string is = fmt::format("input '{}' is {}", input.arg, dtype);
  const bool said =
      std::any_of(d.notes.begin(), d.notes.end(), [&](const auto& note) { return note.starts_with(is + ","); });
  if (said) return;
  const AttrOrigin origin = FindTypeOrigin(p, *input.from[i]);
  d.notes.push_back(fmt::format("{}, {}", is, origin.text));
  Mark(origin.where, fmt::format("makes it {}", dtype), d);
}

}  // namespace

void AddTypeOrigins(const Planning& p, const std::vector<ReachingValues>& inputs, Diagnostic& diagnostic) {
  if (!p.IsWorthExplaining()) return;
  for (const ReachingValues& input : inputs) {
    for (size_t i = 0; i < input.values.size(); ++i) AddOrigin(p, input, i, diagnostic);
  }
}

Code InferCode(const spec::InferError& error) {
  using Kind = spec::InferError::Kind;
  if (error.kind == Kind::kMissingAttr) return "G213";
  if (error.kind == Kind::kListExpected || error.kind == Kind::kSingleExpected) return "G218";
  if (error.kind == Kind::kTooFewInputs || error.kind == Kind::kTooManyInputs || error.length) return "G211";
  if (error.kind == Kind::kWrongInputType || error.kind == Kind::kInconsistentAttr || !error.inferred_from.empty()) {
    return "G215";
  }
  return "G214";
}

namespace {

constexpr size_t kInputsShown = 4;
constexpr size_t kNodesShown = 3;

// " (graph.yaml:3:5)"; empty for a graph that is not in a file.
std::string PlaceText(const Planning& p, Span where) {
  const std::string& file = p.graph.source->path;
  return file.empty() ? "" : fmt::format(" ({}:{}:{})", file, where.begin.line, where.begin.column);
}

// The number of dimensions of b that are the same quantity as a dimension of a, not only equally large.
size_t SharedDims(const Planning& p, uint32_t a, uint32_t b) {
  const opsrun_shape *of_a = p.value_shapes[a], *of_b = p.value_shapes[b];
  size_t shared = 0;
  for (int32_t i = 0; i < of_b->rank; ++i) {
    const auto same = [&](const opsrun_dim* dim) { return p.shapes.Find(dim) == p.shapes.Find(of_b->dims[i]); };
    shared += of_a->rank > 0 && std::any_of(of_a->dims, of_a->dims + of_a->rank, same) ? 1 : 0;
  }
  return shared;
}

// The input of the producing node that shares most dimensions with the value; kNone if the node itself determined the
// shape.
uint32_t GivingInput(const Planning& p, uint32_t value) {
  const uint32_t producer = p.plan.values[value].producer;
  if (producer == PlanValue::kNone) return PlanValue::kNone;
  uint32_t giving = PlanValue::kNone;
  size_t most = 0;
  for (uint32_t input : p.plan.steps[producer].inputs) {
    const size_t shared = p.value_shapes[input] == p.value_shapes[value] ? 1000 : SharedDims(p, value, input);
    if (shared > most) giving = input;
    most = std::max(most, shared);
  }
  return giving;
}

// "feed 'x' (graph.yaml:3:5)", "node 'z' (graph.yaml:7:9)"
std::string EndText(const Planning& p, uint32_t value) {
  const uint32_t producer = p.plan.values[value].producer;
  if (producer != PlanValue::kNone) {
    const Node& node = p.graph.nodes[p.plan.steps[producer].node];
    return fmt::format("node '{}'{}", node.name.value, PlaceText(p, node.op.span));
  }
  const auto found = std::find(p.feed_values.begin(), p.feed_values.end(), value);
  if (found == p.feed_values.end()) return "a node with a mistake";
  const Feed& feed = p.graph.feeds[static_cast<size_t>(found - p.feed_values.begin())];
  return fmt::format("feed '{}'{}", feed.name.value, PlaceText(p, feed.shape ? feed.shape->span : feed.span));
}

// "'sum' <- 'z' <- feed 'x' (graph.yaml:3:5)"
std::string ChainText(const Planning& p, uint32_t value) {
  std::string path;
  for (size_t links = 0;; ++links) {
    const uint32_t giving = GivingInput(p, value);
    if (giving == PlanValue::kNone) return path + EndText(p, value);
    const Node& node = p.graph.nodes[p.plan.steps[p.plan.values[value].producer].node];
    if (links < kNodesShown) path += fmt::format("'{}' <- ", node.name.value);
    if (links == kNodesShown) path += "... <- ";
    value = giving;
  }
}

// "its dimension 0 is 5 because of node 'w' (graph.yaml:9:5)", for sizes that were not stated at the origin of the
// shape.
void TellLearned(const Planning& p, uint32_t value, const std::string& input, Diagnostic& error) {
  const opsrun_shape* shape = p.value_shapes[value];
  for (int32_t i = 0; i < shape->rank; ++i) {
    std::string nodes;
    for (uint32_t asker : p.shapes.WhyKnown(shape->dims[i])) {
      const Node& node = p.graph.nodes[asker];
      nodes += fmt::format("{}node '{}'{}", nodes.empty() ? "" : ", ", node.name.value, PlaceText(p, node.op.span));
    }
    if (nodes.empty()) continue;
    error.notes.push_back(fmt::format("dimension {} of input '{}' must be {} because of {}", i, input,
                                      p.shapes.Known(shape->dims[i]), nodes));
  }
}

std::string InputName(const spec::ArgRange& range, uint32_t i) {
  return range.list ? fmt::format("{}.{}", range.name, i) : range.name;
}

}  // namespace

void TellShapeOrigins(const Planning& p, const NodeWork& work, Diagnostic& error) {
  size_t shown = 0;
  for (const spec::ArgRange& range : work.signature.in_args) {
    for (uint32_t i = 0; i < range.count && shown < kInputsShown; ++i, ++shown) {
      const uint32_t value = work.inputs[range.first + i];
      const std::string name = InputName(range, i);
      error.notes.push_back(
          fmt::format("input '{}' is {}, from {}", name, p.shapes.Text(p.value_shapes[value]), ChainText(p, value)));
      TellLearned(p, value, name, error);
    }
  }
  if (work.inputs.size() > shown) error.notes.push_back(fmt::format("and {} more inputs", work.inputs.size() - shown));
}

}  // namespace opsrun::host

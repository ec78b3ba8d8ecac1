// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "host/plan/explain/explain.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

// The location of a tensor in a list, if `element` is its index.
Span ElementSpan(const NodeInput& input, const std::string& element) {
  size_t i = 0;
  const auto read = std::from_chars(element.data(), element.data() + element.size(), i);
  const bool is_number = !element.empty() && read.ec == std::errc();
  return is_number && input.list && i < input.from.size() ? input.from[i].span : input.span;
}

// For a list whose elements are the node's inputs: the location of the input at that index. If an earlier input is a
// list output, which counts as several, the location is approximate.
Span PlaceOfElement(const Node& node, const std::string& element) {
  size_t i = 0;
  const auto read = std::from_chars(element.data(), element.data() + element.size(), i);
  return read.ec == std::errc() && i < node.inputs.size() ? node.inputs[i].span : node.inputs_span;
}

// True if all inputs of the node are one list, written without its own brackets.
bool IsOneList(const Node& node, const std::vector<spec::ArgDef>& inputs) {
  const auto is_element = [](const NodeInput& input) { return input.arg.value.empty() && !input.list; };
  return inputs.size() == 1 && inputs[0].is_list() && std::all_of(node.inputs.begin(), node.inputs.end(), is_element);
}

Span InputSpan(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subject) {
  const size_t dot = subject.find('.');
  const std::string name = subject.substr(0, dot);
  const std::string element = dot == std::string::npos ? "" : subject.substr(dot + 1);
  if (!element.empty() && IsOneList(node, inputs)) return PlaceOfElement(node, element);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const bool by_name = node.inputs[i].arg.value == name;
    const bool by_position = node.inputs[i].arg.value.empty() && i < inputs.size() && inputs[i].name == name;
    if (by_name || by_position) return ElementSpan(node.inputs[i], element);
  }
  return node.op.span;
}

// Codes that the graph or its values can cause; others are the plugin's fault.
bool GraphMayCause(int code) {
  constexpr int kCodes[] = {OPSRUN_INVALID_ARGUMENT, OPSRUN_NOT_FOUND,           OPSRUN_ALREADY_EXISTS,
                            OPSRUN_OUT_OF_RANGE,     OPSRUN_FAILED_PRECONDITION, OPSRUN_PERMISSION_DENIED};
  return std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes);
}

}  // namespace

Span BlamedSpan(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subjects) {
  const std::string subject = subjects.substr(0, subjects.find(' '));
  const size_t colon = subject.find(':');
  if (colon == std::string::npos) return node.op.span;
  const std::string kind = subject.substr(0, colon), name = subject.substr(colon + 1);
  const NodeAttr* const attr = kind == "attr" ? node.FindAttr(name) : nullptr;
  if (attr != nullptr) return attr->value.span;
  if (kind == "input") return InputSpan(node, inputs, name);
  return node.op.span;
}

void Blame(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subject, Diagnostic& error) {
  error.where = BlamedSpan(node, inputs, subject);
  for (size_t at = subject.find(' '); at != std::string::npos; at = subject.find(' ', at + 1)) {
    const Span other = BlamedSpan(node, inputs, subject.substr(at + 1));
    if (other.begin != error.where.begin) error.also.push_back({other, "and this"});
  }
}

bool IsOfPlugin(const Status& status) {
  const std::string& subject = status.subject();
  if (subject == "plugin") return true;
  // A graph cannot cause a kernel to produce an output of another shape or type than its op declares.
  if (subject.starts_with("output:") && status.code() == OPSRUN_INVALID_ARGUMENT) return true;
  return !GraphMayCause(status.code()) && !subject.starts_with("attr:") && !subject.starts_with("input:");
}

std::string FailureHelp(const Status& status, const std::string& op, const std::string& plugin) {
  const std::string& subject = status.subject();
  if (status.code() == OPSRUN_CANCELLED) return "nothing is wrong with the node: its run was stopped";
  if (IsOfPlugin(status)) return fmt::format("report this to the author of plugin '{}'", plugin);
  const char* what = subject.starts_with("attr:")    ? "this attr"
                     : subject.starts_with("input:") ? "this input or what it is computed from"
                                                     : "the inputs or attrs of this node";
  return fmt::format("change {}; for what the op accepts, see: opsrun explain {}", what, op);
}

void MarkForwardNode(const Graph& graph, const Node& node, Diagnostic& error) {
  if (!node.gradient_of) return;
  const std::vector<Node>& nodes = graph.AllNodes();
  const auto forward =
      std::ranges::find_if(nodes, [&](const Node& each) { return each.name.value == node.gradient_of->value; });
  if (forward == nodes.end() || forward->name.span.begin == error.where.begin) return;
  error.also.push_back({forward->name.span, fmt::format("'{}' is part of the gradient of this node", node.name.value)});
}

void MarkForwardNodes(const Graph& graph, std::vector<Diagnostic>& errors) {
  for (Diagnostic& error : errors) {
    const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& each) {
      return each.gradient_of && each.name.span.begin <= error.where.begin && error.where.begin < each.span.end;
    });
    if (error.where.known() && node != graph.nodes.end()) MarkForwardNode(graph, *node, error);
  }
}

void AddFileHelp(const Status& status, bool npz, Diagnostic& d) {
  if (status.subject() == "key" || status.code() == OPSRUN_UNIMPLEMENTED) return;
  if (status.code() == OPSRUN_NOT_FOUND) {
    d.help.push_back("a path in a graph is relative to the folder of the graph file");
  } else {
    d.help.push_back(npz ? "use a file written by numpy.savez" : "use a file written by numpy.save");
  }
}

// Where a wrong type or size comes from.

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
    const Node& node = *p.nodes[p.plan.steps[producer].node].node;
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
    const Node& node = *p.nodes[p.plan.steps[p.plan.values[value].producer].node].node;
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
      const Node& node = *p.nodes[asker].node;
      nodes += fmt::format("{}node '{}'{}", nodes.empty() ? "" : ", ", node.name.value, PlaceText(p, node.op.span));
    }
    if (nodes.empty()) continue;
    error.notes.push_back(fmt::format("dimension {} of input '{}' must be {} because of {}", i, input,
                                      p.shapes.Known(shape->dims[i]), nodes));
  }
}

}  // namespace

void TellShapeOrigins(const Planning& p, const NodeWork& work, Diagnostic& error) {
  size_t shown = 0;
  for (const spec::ArgRange& range : work.signature->in_args) {
    for (uint32_t i = 0; i < range.count && shown < kInputsShown; ++i, ++shown) {
      const uint32_t value = work.inputs[range.first + i];
      const std::string name = range.NameOf(i);
      error.notes.push_back(
          fmt::format("input '{}' is {}, from {}", name, p.shapes.Text(p.value_shapes[value]), ChainText(p, value)));
      TellLearned(p, value, name, error);
    }
  }
  if (work.inputs.size() > shown) error.notes.push_back(fmt::format("and {} more inputs", work.inputs.size() - shown));
}

}  // namespace opsrun::host

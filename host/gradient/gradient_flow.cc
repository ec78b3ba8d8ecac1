// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "host/gradient/differentiate.h"

namespace opsrun::host {
namespace {

class FlowFinder {
 public:
  FlowFinder(const Graph& graph, const Resolution& resolution) : graph_(graph), resolution_(resolution) {}

  // Marks what depends on `values`. through_all: even through nodes that stop gradients.
  std::vector<bool> DependOn(const std::vector<uint32_t>& values, bool through_all) const {
    std::vector<bool> marked = Mark(values);
    for (const uint32_t node : resolution_.order) {
      const ResolvedNode& resolved = resolution_.nodes[node];
      if (Passes(node, through_all) && Any(resolved.inputs, marked)) SetOutputs(resolved, marked);
    }
    return marked;
  }

  // Marks what `values` depend on. through_all: even through nodes and values that stop gradients.
  std::vector<bool> NeededFor(const std::vector<uint32_t>& values, bool through_all) const {
    std::vector<bool> marked = Mark(values);
    for (auto node = resolution_.order.rbegin(); node != resolution_.order.rend(); ++node) {
      const ResolvedNode& resolved = resolution_.nodes[*node];
      if (!Passes(*node, through_all) || !AnyOutput(resolved, marked)) continue;
      for (const uint32_t input : resolved.inputs) marked[input] = marked[input] || through_all || Flows(input);
    }
    return marked;
  }

  std::vector<uint32_t> Between(const std::vector<bool>& depend, const std::vector<bool>& needed,
                                bool through_all) const {
    std::vector<uint32_t> nodes;
    for (auto node = resolution_.order.rbegin(); node != resolution_.order.rend(); ++node) {
      const ResolvedNode& resolved = resolution_.nodes[*node];
      if (Passes(*node, through_all) && Any(resolved.inputs, depend) && AnyOutput(resolved, needed)) {
        nodes.push_back(*node);
      }
    }
    return nodes;
  }

 private:
  bool Flows(uint32_t value) const { return HasGradient(resolution_.values[value].dtype); }

  bool Passes(uint32_t node, bool through_all) const {
    if (resolution_.nodes[node].first_output == ResolvedNode::kNone) return false;
    const NodeFlow flow = FlowOf(graph_.nodes[node], resolution_.nodes[node]);
    return through_all || flow == NodeFlow::kDeclared || flow == NodeFlow::kUndeclared;
  }

  std::vector<bool> Mark(const std::vector<uint32_t>& values) const {
    std::vector<bool> marked(resolution_.values.size());
    for (const uint32_t value : values) marked[value] = true;
    return marked;
  }

  static bool Any(const std::vector<uint32_t>& values, const std::vector<bool>& marked) {
    return std::any_of(values.begin(), values.end(), [&](uint32_t value) { return marked[value]; });
  }

  static bool AnyOutput(const ResolvedNode& node, const std::vector<bool>& marked) {
    const size_t count = node.signature->out_types.size();
    for (size_t i = 0; i < count; ++i) {
      if (marked[node.first_output + i]) return true;
    }
    return false;
  }

  void SetOutputs(const ResolvedNode& node, std::vector<bool>& marked) const {
    for (uint32_t i = 0; i < node.signature->out_types.size(); ++i) {
      const uint32_t value = node.first_output + i;
      marked[value] = marked[value] || Flows(value);
    }
  }

  const Graph& graph_;
  const Resolution& resolution_;
};

}  // namespace

bool HasGradient(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
    case DType::kComplex64:
    case DType::kComplex128:
      return true;
    default:
      return IsFloat8(dtype);
  }
}

NodeFlow FlowOf(const Node& node, const ResolvedNode& resolved) {
  if (node.stop_gradient) return NodeFlow::kStopped;
  if ((resolved.op->def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0) return NodeFlow::kNotDifferentiable;
  const std::vector<DType>& types = resolved.signature->out_types;
  if (std::none_of(types.begin(), types.end(), HasGradient)) return NodeFlow::kOtherType;
  return resolved.op->gradient.empty() ? NodeFlow::kUndeclared : NodeFlow::kDeclared;
}

GradientFlow FindFlow(const Graph& graph, const Resolution& resolution, const std::vector<uint32_t>& of,
                      const std::vector<uint32_t>& wrt) {
  const FlowFinder finder(graph, resolution);
  GradientFlow flow;
  flow.passed = finder.Between(finder.DependOn(wrt, true), finder.NeededFor(of, true), true);
  flow.values = finder.DependOn(wrt, false);
  const std::vector<bool> needed = finder.NeededFor(of, false);
  flow.nodes = finder.Between(flow.values, needed, false);
  for (size_t i = 0; i < needed.size(); ++i) flow.values[i] = flow.values[i] && needed[i];
  return flow;
}

bool MayBeEqual(const ResolvedShape& a, const ResolvedShape& b) {
  const auto may = [](const ResolvedDim& x, const ResolvedDim& y) {
    return x.size < 0 || y.size < 0 || x.size == y.size;
  };
  return !a.rank_known || !b.rank_known || std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(), may);
}

DerivedValues::DerivedValues(const Graph& graph, const Resolution& original, const Resolution& planned,
                             const DerivedGradients& gradients)
    : planned_(planned), values_(original.values.size()) {
  size_t feed = 0;
  for (size_t i = 0; i < graph.feeds.size(); ++i) {
    if (gradients.filled.contains(graph.feeds[i].name.value)) continue;
    values_[original.feed_values[i]] = planned.feed_values[feed++];
  }
  const auto first_constant = planned.feed_values.begin() + static_cast<ptrdiff_t>(feed);
  constants_.assign(first_constant, planned.feed_values.end());
  for (size_t i = 0; i < planned.nodes.size(); ++i) {
    const uint32_t output = planned.nodes[i].first_output;
    if (i >= graph.nodes.size()) {
      nodes_.push_back(output);
      continue;
    }
    const auto first = values_.begin() + original.nodes[i].first_output;
    std::iota(first, first + static_cast<ptrdiff_t>(original.nodes[i].signature->out_types.size()), output);
  }
}

const ResolvedValue& DerivedValues::Find(const DerivedTensor& tensor) const {
  const bool value = tensor.from == DerivedTensor::From::kValue, node = tensor.from == DerivedTensor::From::kNode;
  const std::vector<uint32_t>& known = value ? values_ : node ? nodes_ : constants_;
  return planned_.values[known[tensor.index] + tensor.output];
}

bool CheckGradientShapes(const Graph& graph, const Resolution& resolution, const DerivedValues& values,
                         const DerivedGradients& gradients, Diagnostics& diagnostics) {
  std::unordered_set<const RegisteredOp*> reported;
  for (const InputGradient& each : gradients.of_inputs) {
    const ResolvedNode& resolved = resolution.nodes[each.node];
    const ResolvedShape& wanted = values.Find({.index = each.value}).shape;
    const ResolvedShape& found = values.Find(each.gradient).shape;
    const RegisteredOp& op = *resolved.op;
    if (MayBeEqual(wanted, found) || !reported.insert(&op).second) continue;
    const Node& node = graph.nodes[each.node];
    const bool declared = !op.gradient.empty();  // otherwise the request gives it
    const std::string whose =
        declared ? fmt::format("op '{}' of node '{}' declares an invalid gradient", op.def.name, node.name.value)
                 : fmt::format("the gradient provided for node '{}' is invalid", node.name.value);
    Diagnostic& error =
        diagnostics.Error("G302",
                          fmt::format("{}: the gradient of input '{}' has shape {}, but the input has shape {}", whose,
                                      spec::ArgOf(resolved.signature->in_args, each.input).name,
                                      ResolvedShapeText(found), ResolvedShapeText(wanted)),
                          graph.source->path, node.op.span);
    error.help = {declared ? InvalidGradientHelp(op) : "a gradient must have the data type and the shape of its input"};
  }
  return reported.empty();
}

namespace {

// True if one of the values `of` depends on `value`, through values of any type.
bool DependOn(uint32_t value, const std::vector<uint32_t>& of, const Resolution& resolution) {
  std::vector<bool> depends(resolution.values.size());
  depends[value] = true;
  for (const uint32_t index : resolution.order) {
    const ResolvedNode& node = resolution.nodes[index];
    const bool reached = std::any_of(node.inputs.begin(), node.inputs.end(), [&](uint32_t in) { return depends[in]; });
    if (!reached) continue;
    for (uint32_t i = 0; i < node.signature->out_types.size(); ++i) depends[node.first_output + i] = true;
  }
  return std::any_of(of.begin(), of.end(), [&](uint32_t each) { return depends[each]; });
}

bool MayHaveShape(const ResolvedShape& shape, const Shape& declared) {
  const auto may = [](const ResolvedDim& dim, int64_t size) { return dim.size < 0 || size < 0 || dim.size == size; };
  return !shape.rank_known || std::equal(shape.dims.begin(), shape.dims.end(), declared.begin(), declared.end(), may);
}

}  // namespace

// Such a feed stands in for a gradient until the gradient exists.
std::map<std::string, size_t> FilledFeeds(const Graph& graph, const GradientRequest& request) {
  std::map<std::string, size_t> filled;
  if (!request.fill_feeds) return filled;
  for (size_t i = 0; i < request.wrt.size(); ++i) {
    const std::string name = GradientName(ReferenceText(request.wrt[i]));
    const bool declared = std::any_of(graph.feeds.begin(), graph.feeds.end(), [&](const Feed& feed) {
      return feed.name.value == name && feed.source == Feed::Source::kDeclared;
    });
    if (declared) filled.emplace(name, i);
  }
  return filled;
}

bool CheckFilledFeeds(const Graph& graph, const Resolution& resolution, const std::map<std::string, size_t>& filled,
                      const std::vector<uint32_t>& of, const std::vector<uint32_t>& wrt, Diagnostics& diagnostics) {
  bool ok = true;
  const auto fail = [&](Code code, std::string message, const Feed& feed, std::string help) {
    ok = false;
    diagnostics.Error(code, std::move(message), graph.source->path, feed.name.span).help = {std::move(help)};
  };
  for (size_t i = 0; i < graph.feeds.size(); ++i) {
    const Feed& feed = graph.feeds[i];
    const auto found = filled.find(feed.name.value);
    if (found == filled.end()) continue;
    if (DependOn(resolution.feed_values[i], of, resolution)) {
      fail("G205", fmt::format("a differentiated tensor depends on '{}', which its gradient replaces", feed.name.value),
           feed, "remove this dependency, or rename the feed");
      continue;
    }
    const ResolvedValue& value = resolution.values[wrt[found->second]];
    const bool same_type = feed.dtype->value == value.dtype;
    if (same_type && (!feed.shape || MayHaveShape(value.shape, feed.shape->value))) continue;
    fail("G304",
         fmt::format("feed '{}' is {} {}, but the gradient that replaces it is {} {}", feed.name.value,
                     DTypeName(feed.dtype->value), feed.shape ? ShapeText(feed.shape->value) : "?",
                     DTypeName(value.dtype), ResolvedShapeText(value.shape)),
         feed, "declare it with the type and shape of the tensor whose gradient it is, or rename the feed");
  }
  return ok;
}

std::optional<uint32_t> FindValue(const Reference& reference, const Graph& graph, const Resolution& resolution,
                                  Diagnostics& diagnostics) {
  const std::vector<std::string> names = ValueNames(resolution, graph);
  const std::string text = ReferenceText(reference);
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<uint32_t>(found - names.begin());
  // "z.zeroed" names the value "z" if node z has only one output.
  const auto short_name = std::find(names.begin(), names.end(), reference.name);
  for (size_t i = 0; i < graph.nodes.size() && short_name != names.end(); ++i) {
    const ResolvedNode& node = resolution.nodes[i];
    if (graph.nodes[i].name.value != reference.name || node.first_output == ResolvedNode::kNone) continue;
    if (node.signature->out_args[0].name == reference.output && reference.index < 0) return node.first_output;
  }
  // The name of a graph output, such as "loss".
  const auto output = std::find_if(graph.outputs.begin(), graph.outputs.end(),
                                   [&](const GraphOutput& each) { return each.name.value == text; });
  const bool refers_to_other = output != graph.outputs.end() && ReferenceText(output->from) != text;
  if (refers_to_other) return FindValue(output->from, graph, resolution, diagnostics);
  Diagnostic& error = diagnostics.Error("G204", fmt::format("the graph has no tensor '{}'", text));
  error.file = graph.source->path;
  // A name such as "parts" is ambiguous if the node has several tensors.
  const auto part = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return name.starts_with(text) && name.size() > text.size() && name[text.size()] == '.';
  });
  if (part == names.end()) {
    SuggestName(error, text, names, "tensors");
  } else {
    error.help.push_back(fmt::format("'{}' has several tensors: choose one, such as '{}'", text, *part));
  }
  return std::nullopt;
}

}  // namespace opsrun::host

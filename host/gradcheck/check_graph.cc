// host/gradcheck/check_graph.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/gradcheck/check_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "host/gradcheck/compare_jacobians.h"
#include "host/gradient/gradient_flow.h"
#include "host/gradient/op_sample.h"

namespace opsrun::host {
namespace {

class GraphProblem {
 public:
  GraphProblem(LoadedGraph& graph, const GradientRequest& request, uint64_t seed)
      : graph_(graph), request_(request), draws_(seed) {}

  // Nothing after errors.
  std::optional<GradientProblem> Make() {
    if (graph_.graph() == nullptr) return std::nullopt;
    Resolution resolution;
    const std::shared_ptr<const PlannedGraph> planned = graph_.Plan({.threads = 1, .resolution = &resolution});
    if (planned == nullptr) return std::nullopt;
    auto changed = std::make_shared<Graph>(*graph_.graph());
    for (size_t i = 0; i < changed->feeds.size(); ++i) {
      Feed& feed = changed->feeds[i];
      const PlanValue& value = planned->plan().values[resolution.feed_values[i]];
      const bool constant = value.memory == PlanValue::Memory::kConstant;
      if (!constant) {
        AddDrawn(feed, value);
      } else if (IsWanted(feed)) {
        AddConstant(feed, planned->plan().constants[value.offset]);
      }
    }
    CheckRequest(*changed, resolution);
    if (graph_.diagnostics().has_errors()) return std::nullopt;
    problem_.request = request_;
    problem_.graph = std::move(changed);
    return std::move(problem_);
  }

 private:
  bool IsWanted(const Feed& feed) const {
    return std::any_of(request_.wrt.begin(), request_.wrt.end(),
                       [&](const Reference& wrt) { return ReferenceText(wrt) == feed.name.value; });
  }

  // Constants that are differentiated become declared feeds.
  void AddConstant(Feed& feed, const Tensor& value) {
    feed.source = Feed::Source::kDeclared;
    feed.dtype = {value.dtype(), feed.span};
    feed.shape = {value.shape(), feed.span};
    problem_.values.emplace(feed.name.value, value);
  }

  void AddDrawn(Feed& feed, const PlanValue& value) {
    Shape shape = value.shape;
    std::replace(shape.begin(), shape.end(), int64_t{-1}, int64_t{2});
    Result<Tensor> drawn = Tensor::Create(value.dtype, shape);
    if (drawn.ok() && HasGradient(value.dtype)) {
      std::vector<double> parts = RealParts(*drawn);
      for (double& part : parts) part = static_cast<double>(draws_.Below(100'000)) / 50'000 - 1;
      drawn = FromRealParts(value.dtype, shape, parts);
    }
    if (!drawn.ok()) {
      graph_.diagnostics().Error("D100", drawn.status().message());
      return;
    }
    feed.shape = {shape, feed.span};
    problem_.values.emplace(feed.name.value, *std::move(drawn));
  }

  void CheckRequest(const Graph& graph, const Resolution& resolution) {
    Diagnostics& diagnostics = graph_.diagnostics();
    for (const GradientOf& of : request_.of) FindValue(of.tensor, graph, resolution, diagnostics);
    for (const Reference& wrt : request_.wrt) {
      const auto value = problem_.values.find(ReferenceText(wrt));
      if (value != problem_.values.end() && HasGradient(value->second.dtype())) continue;
      if (value == problem_.values.end() && !FindValue(wrt, graph, resolution, diagnostics)) continue;
      Diagnostic& error = diagnostics.Error(
          "G306", fmt::format("'{}' is not a feed of floating-point or complex numbers", ReferenceText(wrt)));
      error.file = graph.source->path;
      error.help = {"the values of feeds are changed to measure derivatives: name feeds under --wrt"};
    }
  }

  LoadedGraph& graph_;
  const GradientRequest& request_;
  Draws draws_;
  GradientProblem problem_;
};

}  // namespace

std::optional<GradientVerdict> CheckGraph(LoadedGraph& graph, const GradientRequest& request, uint64_t seed) {
  const std::optional<GradientProblem> problem = GraphProblem(graph, request, seed).Make();
  if (!problem) return std::nullopt;
  GradientVerdict verdict = CheckProblem(graph.engine(), *problem);
  for (const Diagnostic& d : verdict.diagnostics.all()) graph.diagnostics().all().push_back(d);
  if (verdict.kind == GradientVerdict::Kind::kInvalid) return std::nullopt;
  return verdict;
}

namespace {

DType Precise(DType dtype) {
  return HasGradient(dtype) ? PreciseType(dtype) : dtype;
}

Tensor Precise(const Tensor& tensor) {
  if (!HasGradient(tensor.dtype())) return tensor;
  const Result<Tensor> precise = FromRealParts(PreciseType(tensor.dtype()), tensor.shape(), RealParts(tensor));
  return precise.ok() ? *precise : tensor;
}

void MakePrecise(Value& type) {
  for (Value& item : type.items) MakePrecise(item);
  const std::optional<DType> dtype = type.kind == Value::Kind::kScalar ? DTypeFromName(type.text) : std::nullopt;
  if (dtype) type.text = DTypeName(Precise(*dtype));
}

// True if the attr is not inferred from an input.
bool IsFree(const spec::OpDef& op, const spec::AttrDef& attr) {
  return std::none_of(op.inputs.begin(), op.inputs.end(),
                      [&](const spec::ArgDef& arg) { return arg.type_attr == attr.name; });
}

// Sets the type attrs that the node leaves at their defaults.
void MakeDefaultsPrecise(const spec::OpDef& op, Node& node) {
  for (const spec::AttrDef& attr : op.attrs) {
    const bool is_type = attr.type.kind == OPSRUN_ATTR_TYPE && !attr.type.list && attr.default_value.has_value();
    if (!is_type || node.FindAttr(attr.name) != nullptr || !IsFree(op, attr)) continue;
    const DType dtype = attr.default_value->Types()[0];
    if (!HasGradient(dtype) || Precise(dtype) == dtype) continue;
    node.attrs.push_back({{attr.name, node.name.span}, StringValue(DTypeName(Precise(dtype)), node.name.span)});
  }
}

}  // namespace

PreciseGraph MakePrecise(const Graph& graph, const std::map<std::string, Tensor>& values, const Registry& registry) {
  PreciseGraph precise;
  auto changed = std::make_shared<Graph>(graph);
  for (Feed& feed : changed->feeds) {
    if (feed.dtype) feed.dtype->value = Precise(feed.dtype->value);
    if (feed.source != Feed::Source::kDeclared) feed.value = Precise(feed.value);
  }
  for (Node& node : changed->nodes) {
    const RegisteredOp* const op = registry.FindOp(node.op.value);
    for (NodeAttr& attr : node.attrs) {
      const spec::AttrDef* const def = op == nullptr ? nullptr : op->def.FindAttr(attr.name.value);
      if (def != nullptr && def->type.kind == OPSRUN_ATTR_TYPE) MakePrecise(attr.value);
    }
    if (op != nullptr) MakeDefaultsPrecise(op->def, node);
  }
  for (const auto& [name, tensor] : values) precise.values[name] = Precise(tensor);
  precise.graph = std::move(changed);
  return precise;
}

}  // namespace opsrun::host

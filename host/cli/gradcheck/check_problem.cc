// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "host/cli/gradcheck/gradcheck.h"
#include "host/spec/op_def.h"

namespace opsrun::host {
namespace {

using Verdict = GradientVerdict::Kind;

constexpr double kLargestNoise = 0.1;

bool AllFinite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

// A graph that computes the same in float64.
struct PreciseGraph {
  std::shared_ptr<const Graph> graph;
  std::map<std::string, Tensor> values;  // of declared feeds
};

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

// Sets the type attrs that the node leaves at their defaults.
void MakeDefaultsPrecise(const spec::OpDef& op, Node& node) {
  for (const spec::AttrDef& attr : op.attrs) {
    const bool is_type = attr.type.kind == OPSRUN_ATTR_TYPE && !attr.type.list && attr.default_value.has_value();
    if (!is_type || node.FindAttr(attr.name) != nullptr || spec::InferredFrom(op, attr.name) != nullptr) continue;
    const DType dtype = attr.default_value->Types()[0];
    if (!HasGradient(dtype) || Precise(dtype) == dtype) continue;
    node.attrs.push_back({{attr.name, node.name.span}, StringValue(DTypeName(Precise(dtype)), node.name.span)});
  }
}

// Changes every floating-point type of feeds, and of attrs of nodes, to float64, and complex types to complex128. The
// ops may have no kernels for these; planning reports that.
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

class ProblemCheck {
 public:
  ProblemCheck(Engine& engine, const GradientProblem& problem) : engine_(engine), problem_(problem) {
    for (const Reference& wrt : problem.request.wrt) point_.emplace_back(wrt.name, problem.values.at(wrt.name));
  }

  GradientVerdict Run() {
    if (!RunForward() || !Measure() || !RunDeclared()) return std::move(verdict_);
    const JacobianDifference difference = CompareJacobians(declared_, measured_);
    verdict_.worst = difference.worst;
    const bool right = difference.worst <= verdict_.tolerance;  // false for NaN
    verdict_.kind = right ? Verdict::kRight : Verdict::kWrong;
    if (!right) Explain(difference);
    return std::move(verdict_);
  }

 private:
  // Returns false.
  bool Unusable(std::string message) {
    verdict_.kind = Verdict::kNotChecked;
    verdict_.message = std::move(message);
    return false;
  }

  bool Invalid(Diagnostics& found) {
    verdict_.kind = Verdict::kInvalid;
    verdict_.diagnostics = std::move(found);
    return false;
  }

  // The nodes that the tensors depend on.
  static std::unordered_set<std::string> NeededNodes(const Graph& graph, const GradientRequest& request) {
    std::unordered_map<std::string_view, const Node*> nodes;
    for (const Node& node : graph.nodes) nodes.emplace(node.name.value, &node);
    std::unordered_set<std::string> needed;
    std::vector<std::string> next;
    for (const GradientOf& of : request.of) next.push_back(of.tensor.name);
    while (!next.empty()) {
      const std::string name = std::move(next.back());
      next.pop_back();
      const auto node = nodes.find(name);
      if (node == nodes.end() || !needed.insert(name).second) continue;
      for (const NodeInput& input : node->second->inputs) {
        for (const Reference& from : input.from) next.push_back(from.name);
      }
      for (const Located<std::string>& before : node->second->after) next.push_back(before.value);
    }
    return needed;
  }

  // The graph with the differentiated tensors as its only outputs, and only the nodes that they need.
  static std::shared_ptr<const Graph> WithOutputs(const Graph& graph, const GradientRequest& request) {
    auto changed = std::make_shared<Graph>(graph);
    const std::unordered_set<std::string> needed = NeededNodes(graph, request);
    std::erase_if(changed->nodes, [&](const Node& node) { return !needed.contains(node.name.value); });
    for (Node& node : changed->nodes) {
      if (node.gradient_of && !needed.contains(node.gradient_of->value)) node.gradient_of.reset();
    }
    changed->outputs.clear();
    changed->checks.clear();
    for (const GradientOf& of : request.of) {
      GraphOutput& output = changed->outputs.emplace_back();
      output.name.value = ReferenceText(of.tensor);
      output.from = of.tensor;
    }
    return changed;
  }

  bool RunForward() {
    Diagnostics found;
    forward_graph_ = WithOutputs(*problem_.graph, problem_.request);
    const auto forward = GraphFunction::Create(engine_, forward_graph_, problem_.values, found);
    if (forward == nullptr) return Invalid(found);
    Result<std::vector<Tensor>> outputs = forward->Run();
    if (!outputs.ok()) return Unusable(outputs.status().message());
    outputs_ = *std::move(outputs);
    for (const Tensor& output : outputs_) {
      if (!HasGradient(output.dtype())) return Unusable("an output is of a type that has no gradient");
      if (!AllFinite(RealParts(output))) return Unusable("an output is not finite");
    }
    return true;
  }

  // Measures in float64 if there are kernels for it.
  bool Measure() {
    Diagnostics no_kernel;
    const PreciseGraph precise =
        MakePrecise(*forward_graph_, problem_.values, engine_.LoadGraph(forward_graph_)->registry());
    auto function = GraphFunction::Create(engine_, precise.graph, precise.values, no_kernel);
    JacobianPoint point = point_;
    const bool precisely = function != nullptr;
    if (precisely) {
      for (auto& [feed, tensor] : point) tensor = precise.values.at(feed);
    } else {
      Diagnostics none;  // planned before without errors
      function = GraphFunction::Create(engine_, forward_graph_, problem_.values, none);
    }
    SetTolerance(precisely);
    Result<MeasuredJacobian> measured = MeasureJacobian(*function, point);
    if (!measured.ok()) return Unusable(measured.status().message());
    if (measured->kink)
      return Unusable(
          fmt::format("the outputs have a kink or a jump, or are too steep, at {}", ColumnText(*measured->kink)));
    if (measured->noise > kLargestNoise) return Unusable("the outputs are too large to measure their derivatives");
    verdict_.tolerance = std::max(verdict_.tolerance, measured->noise);
    measured_ = std::move(measured->jacobian);
    return AllFinite(measured_.entries) || Unusable("a measured derivative is not finite");
  }

  // The tolerance of the least precise type.
  void SetTolerance(bool precisely) {
    const auto add = [&](const Tensor& tensor) {
      const GradientPrecision precision = PrecisionOf(tensor.dtype());
      verdict_.tolerance = std::max(verdict_.tolerance, precisely ? precision.tolerance : precision.own_tolerance);
    };
    for (const auto& [feed, tensor] : point_) add(tensor);
    for (const Tensor& output : outputs_) add(output);
  }

  // Adds a declared feed for the gradient of each output, differentiates, and runs the result.
  bool RunDeclared() {
    Graph seeded = *forward_graph_;
    GradientRequest request = problem_.request;
    JacobianPoint seeds;
    std::map<std::string, Tensor> values = problem_.values;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      Feed& feed = seeded.feeds.emplace_back();
      feed.name.value = fmt::format("gradient_of_output_{}", i);
      feed.dtype = {outputs_[i].dtype(), {}};
      feed.shape = {outputs_[i].shape(), {}};
      request.of[i].gradient = Reference{feed.name.value, {}, -1, {}};
      const Result<Tensor> zeros = Tensor::Create(outputs_[i].dtype(), outputs_[i].shape());
      if (!zeros.ok()) return Unusable(zeros.status().message());
      seeds.emplace_back(feed.name.value, *zeros);
      values[feed.name.value] = *zeros;
    }
    const std::shared_ptr<LoadedGraph> loaded = engine_.LoadGraph(std::make_shared<const Graph>(std::move(seeded)));
    const std::optional<DerivedGradients> gradients = DifferentiateGraph(*loaded, request);
    if (!gradients) return Invalid(loaded->diagnostics());
    const auto both = std::make_shared<const Graph>(WithGradients(*loaded->graph(), request, *gradients));
    Diagnostics found;
    const auto function = GraphFunction::Create(engine_, both, values, found);
    if (function == nullptr) return Invalid(found);
    Result<Jacobian> declared = DeclaredJacobian(*function, seeds, point_, outputs_.size());
    if (declared.ok()) {
      declared_ = *std::move(declared);
      return true;
    }
    verdict_.kind = Verdict::kWrong;
    verdict_.worst = INFINITY;
    verdict_.message = declared.status().message();
    return false;
  }

  // The tensor that a column or row belongs to, the tensor's first one, and the part of the tensor.
  struct TensorPart {
    size_t tensor = 0, first = 0, part = 0;
  };
  template <typename TensorAt>
  static TensorPart PartOf(size_t part, const TensorAt& tensor_at) {
    TensorPart found;
    for (;; ++found.tensor) {
      const size_t parts = CountParts(tensor_at(found.tensor));
      if (part < found.first + parts) break;
      found.first += parts;
    }
    found.part = part - found.first;
    return found;
  }
  TensorPart ColumnPart(size_t column) const {
    return PartOf(column, [&](size_t i) -> const Tensor& { return point_[i].second; });
  }

  // "x[0, 2]", "Im z[1]"
  static std::string ElementText(const std::string& name, const Tensor& tensor, size_t part) {
    const size_t parts = PartsOf(tensor.dtype());
    const char* const which = parts == 1 ? "" : part % 2 == 0 ? "Re " : "Im ";
    const std::string index =
        tensor.shape().empty() ? "" : IndexText(tensor.shape(), static_cast<int64_t>(part / parts));
    return fmt::format("{}{}{}", which, name, index);
  }
  std::string ColumnText(size_t column) const {
    const TensorPart found = ColumnPart(column);
    return ElementText(point_[found.tensor].first, point_[found.tensor].second, found.part);
  }
  std::string RowText(size_t row) const {
    const TensorPart found = PartOf(row, [&](size_t i) -> const Tensor& { return outputs_[i]; });
    return ElementText(ReferenceText(problem_.request.of[found.tensor].tensor), outputs_[found.tensor], found.part);
  }

  void Explain(const JacobianDifference& difference) {
    const TensorPart found = ColumnPart(difference.column);
    const auto& [feed, tensor] = point_[found.tensor];
    verdict_.input = feed;
    verdict_.message = fmt::format("the gradient of '{}' is wrong", feed);
    verdict_.element = fmt::format("d {} / d {}: declared {:.7g}, measured {:.7g}", RowText(difference.row),
                                   ColumnText(difference.column), difference.declared, difference.measured);
    verdict_.looks = DescribeDifference(declared_, measured_, found.first, tensor, verdict_.tolerance);
  }

  Engine& engine_;
  const GradientProblem& problem_;
  GradientVerdict verdict_;
  std::shared_ptr<const Graph> forward_graph_;
  JacobianPoint point_;
  std::vector<Tensor> outputs_;
  Jacobian measured_, declared_;
};

}  // namespace

GradientVerdict CheckProblem(Engine& engine, const GradientProblem& problem) {
  return ProblemCheck(engine, problem).Run();
}

std::unique_ptr<GraphFunction> GraphFunction::Create(Engine& engine, std::shared_ptr<const Graph> graph,
                                                     const std::map<std::string, Tensor>& feeds,
                                                     Diagnostics& diagnostics) {
  std::unique_ptr<GraphFunction> function(new GraphFunction());
  PlanOptions options;
  options.threads = 1;
  for (const auto& [name, value] : feeds) options.feeds[name] = {value.dtype(), value.shape()};
  function->planned_ = engine.LoadGraph(std::move(graph))->Plan(options, diagnostics);
  if (function->planned_ == nullptr) return nullptr;
  function->lanes_ = function->planned_->MakeLanes(1, function->planned_->Context(nullptr), diagnostics);
  if (function->lanes_ == nullptr) return nullptr;
  for (const auto& [name, value] : feeds) function->Set(name, value);
  return function;
}

// Cannot fail, since the type and shape are those that were planned.
void GraphFunction::Set(const std::string& feed, const Tensor& value) {
  static_cast<void>(lanes_->lanes()[0]->SetFeed(feed, value));
}

Result<std::vector<Tensor>> GraphFunction::Run() {
  Lane& lane = *lanes_->lanes()[0];
  if (const std::optional<RunFailure> failure = lane.Run()) {
    return Status(failure->status.code(), DescribeFailure(planned_->plan(), *failure).message);
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < planned_->plan().outputs.size(); ++i) {
    Result<Tensor> output = lane.Output(i);
    if (!output.ok()) return output.status();
    outputs.push_back(*std::move(output));
  }
  return outputs;
}

}  // namespace opsrun::host

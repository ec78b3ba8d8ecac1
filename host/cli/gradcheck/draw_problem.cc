// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/cli/gradcheck/gradcheck.h"
#include "host/cli/problem/problem.h"
#include "host/gradient/gradient_text.h"

namespace opsrun::host {
namespace {

constexpr int64_t kMaxElements = 81;  // per tensor, since every element costs a run

// A tensor with a gradient is differentiated; others are constants.
void SetValue(Feed& feed, Tensor value, GradientProblem& problem) {
  feed.dtype = {value.dtype(), {}};
  feed.shape = {value.shape(), {}};
  if (HasGradient(value.dtype())) {
    if (value.num_elements() > 0) problem.request.wrt.push_back({feed.name.value, {}, -1, {}});
    problem.values.emplace(feed.name.value, std::move(value));
  } else {
    feed.source = Feed::Source::kValue;
    feed.value = std::move(value);
  }
}

// False if random values cannot be drawn for an input's type.
bool DrawInputs(Graph& graph, Draws& draws, GradientProblem& problem) {
  InputDrawer inputs(draws, InputSizes::kSmall);
  for (Feed& feed : graph.feeds) {
    std::optional<Tensor> value = inputs.Draw(feed.dtype->value);
    if (!value || value->num_elements() > kMaxElements) return false;
    SetValue(feed, *std::move(value), problem);
  }
  return !problem.request.wrt.empty();
}

// The outputs that have gradients; none if the op rejects its inputs.
std::vector<GradientOf> Outputs(const LoadedGraph& ops, const std::shared_ptr<const Graph>& graph) {
  Resolution resolution;
  std::vector<GradientOf> outputs;
  if (ops.WithGraph(graph, {})->Plan({.threads = 1, .resolution = &resolution}) == nullptr) return outputs;
  const std::vector<std::string> names = ValueNames(resolution, *graph);
  const ResolvedNode& node = resolution.nodes[0];
  for (uint32_t i = 0; i < node.signature->out_types.size(); ++i) {
    const ResolvedValue& output = resolution.values[node.first_output + i];
    int64_t elements = 1;
    for (const ResolvedDim& dim : output.shape.dims) elements = dim.size < 0 ? elements : elements * dim.size;
    if (elements > kMaxElements) return {};
    if (HasGradient(output.dtype)) outputs.push_back({ParseReference(names[node.first_output + i]), std::nullopt});
  }
  return outputs;
}

class Borrower {
 public:
  Borrower(Engine& engine, const RegisteredOp& op, GradientProblem of_user)
      : engine_(engine), op_(op), of_user_(std::move(of_user)) {}

  std::optional<GradientProblem> Borrow() {
    const std::shared_ptr<LoadedGraph> loaded = engine_.LoadGraph(of_user_.graph);
    const std::optional<DerivedGradients> gradients = DifferentiateGraph(*loaded, of_user_.request);
    if (!gradients) return std::nullopt;
    for (size_t i = 0; i < gradients->nodes.size(); ++i) {
      const Node node = gradients->NodeAt(i, *loaded->graph());
      if (node.op.value != op_.def.name) continue;
      Graph graph = WithGradients(*loaded->graph(), of_user_.request, *gradients);
      return ProblemOf(node, InputsOf(node, std::move(graph)));
    }
    return std::nullopt;
  }

 private:
  // The input tensors of the node; none after an error.
  std::vector<Tensor> InputsOf(const Node& node, Graph graph) {
    graph.outputs.clear();
    for (const NodeInput& input : node.inputs) {
      for (const Reference& from : input.from) {
        GraphOutput& output = graph.outputs.emplace_back();
        output.name.value = fmt::format("input_{}", graph.outputs.size());
        output.from = from;
      }
    }
    Diagnostics ignored;
    const auto function =
        GraphFunction::Create(engine_, std::make_shared<const Graph>(std::move(graph)), of_user_.values, ignored);
    if (function == nullptr) return {};
    Result<std::vector<Tensor>> inputs = function->Run();
    return inputs.ok() ? *std::move(inputs) : std::vector<Tensor>();
  }

  std::optional<GradientProblem> ProblemOf(Node node, std::vector<Tensor> inputs) {
    if (inputs.empty()) return std::nullopt;
    GradientProblem problem;
    auto graph = std::make_shared<Graph>();
    graph->source = of_user_.graph->source;
    size_t next = 0;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      for (Reference& from : node.inputs[i].from) {
        Feed& feed = graph->feeds.emplace_back();
        const std::string& arg = op_.def.inputs[i].name;
        feed.name.value = node.inputs[i].list ? fmt::format("{}_{}", arg, next) : arg;
        SetValue(feed, std::move(inputs[next++]), problem);
        from = {feed.name.value, {}, -1, {}};
      }
    }
    node.name.value = op_.def.name;
    node.gradient_of.reset();
    graph->nodes.push_back(std::move(node));
    for (const spec::ArgDef& output : op_.def.outputs) {
      const bool single = op_.def.outputs.size() == 1;
      problem.request.of.push_back({{op_.def.name, single ? "" : output.name, -1, {}}, std::nullopt});
    }
    problem.graph = std::move(graph);
    return problem.request.wrt.empty() ? std::nullopt : std::optional(std::move(problem));
  }

  Engine& engine_;
  const RegisteredOp& op_;
  const GradientProblem of_user_;
};

}  // namespace

std::optional<GradientProblem> DrawProblem(const LoadedGraph& ops, const RegisteredOp& op, DType type, uint64_t seed) {
  Draws draws(seed);
  GradientProblem problem;
  static const auto nameless = std::make_shared<const SourceFile>();
  auto graph = std::make_shared<Graph>(DrawOpGraph(op, type, nameless, draws));
  if (!DrawInputs(*graph, draws, problem)) return std::nullopt;
  problem.request.of = Outputs(ops, graph);
  if (problem.request.of.empty()) return std::nullopt;
  problem.graph = std::move(graph);
  return problem;
}

bool UsesInGradient(const RegisteredOp& user, const RegisteredOp& op) {
  if (user.gradient.empty() || &user == &op) return false;
  const std::vector<std::string> used = GradientText(user).OpNames();
  return std::find(used.begin(), used.end(), op.def.name) != used.end();
}

std::optional<GradientProblem> BorrowProblem(const LoadedGraph& ops, const RegisteredOp& op, const RegisteredOp& user,
                                             DType type, uint64_t seed) {
  std::optional<GradientProblem> of_user = DrawProblem(ops, user, type, seed);
  return of_user ? Borrower(ops.engine(), op, *std::move(of_user)).Borrow() : std::nullopt;
}

}  // namespace opsrun::host

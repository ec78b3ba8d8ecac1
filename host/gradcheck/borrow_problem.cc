// host/gradcheck/borrow_problem.cc: see borrow_problem.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradcheck/borrow_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/engine/differentiated_graph.h"
#include "host/gradcheck/draw_problem.h"
#include "host/gradcheck/graph_function.h"
#include "host/gradient/gradient_flow.h"
#include "host/gradient/gradient_graph.h"
#include "host/gradient/gradient_text.h"

namespace opsrun::host {
namespace {

class Borrower {
 public:
  Borrower(Engine& engine, const RegisteredOp& op, GradientProblem of_user)
      : engine_(engine), op_(op), of_user_(std::move(of_user)) {}

  std::optional<GradientProblem> Borrow() {
    const std::shared_ptr<LoadedGraph> loaded = engine_.LoadGraph(of_user_.graph);
    const std::optional<DerivedGradients> gradients = DifferentiateGraph(*loaded, of_user_.request);
    if (!gradients) return std::nullopt;
    for (const Node& node : gradients->nodes) {
      if (node.op.value != op_.def.name) continue;
      Graph graph = WithGradients(*loaded->graph(), of_user_.request, *gradients);
      return ProblemOf(node, InputsOf(node, std::move(graph)));
    }
    return std::nullopt;
  }

 private:
  // The tensors that the node gets; none after an error.
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
        AddInput(feed, std::move(inputs[next++]), problem);
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

  static void AddInput(Feed& feed, Tensor input, GradientProblem& problem) {
    feed.dtype = {input.dtype(), {}};
    feed.shape = {input.shape(), {}};
    if (HasGradient(input.dtype())) {
      problem.request.wrt.push_back({feed.name.value, {}, -1, {}});
      problem.values.emplace(feed.name.value, std::move(input));
    } else {
      feed.source = Feed::Source::kValue;
      feed.value = std::move(input);
    }
  }

  Engine& engine_;
  const RegisteredOp& op_;
  const GradientProblem of_user_;
};

}  // namespace

bool UsesInGradient(const RegisteredOp& user, const RegisteredOp& op) {
  if (user.gradient.empty() || &user == &op) return false;
  const std::vector<std::string> used = GradientText(user).OpNames();
  return std::find(used.begin(), used.end(), op.def.name) != used.end();
}

std::optional<GradientProblem> BorrowProblem(Engine& engine, const RegisteredOp& op, const RegisteredOp& user,
                                             const GradientOps& ops, DType type, uint64_t seed) {
  std::optional<GradientProblem> of_user = DrawProblem(engine, user, ops, type, seed);
  return of_user ? Borrower(engine, op, *std::move(of_user)).Borrow() : std::nullopt;
}

}  // namespace opsrun::host

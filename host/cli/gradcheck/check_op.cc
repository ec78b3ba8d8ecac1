// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/cli/gradcheck/gradcheck.h"
#include "host/cli/problem/problem.h"
#include "host/gradient/gradient_text.h"
#include "host/graph/tensor_value.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

using Kind = GradientVerdict::Kind;

constexpr int kMostKinks = 100;  // stop here: such an op has kinks everywhere

class OpChecker {
 public:
  OpChecker(Engine& engine, const RegisteredOp& op, const OpCheckOptions& options)
      : engine_(engine), op_(op), ops_(LoadOps(engine, *op.plugin)), options_(options) {}

  OpCheck Check(DType type) {
    OpCheck check;
    check.type = type;
    if (!HasKernel(op_, ops_->registry(), type)) {
      check.verdict.kind = Kind::kNoKernel;
      return check;
    }
    check.verdict.message = "found no attrs and inputs that the op accepts";
    // Problems that the op accepted for one type probably work for another.
    const std::vector<Source> before = std::exchange(accepted_, {});
    for (const Source& source : before) Try(source, check);
    if (check.problems == 0) TryAll(check);
    return check;
  }

 private:
  // Where a problem comes from: drawn for the seed, or taken from the gradient of another op.
  struct Source {
    const RegisteredOp* user = nullptr;
    uint64_t seed = 0;
  };

  bool IsDone(const OpCheck& check) const {
    return check.problems == options_.problems || check.kinks == kMostKinks || check.verdict.kind == Kind::kWrong ||
           check.verdict.kind == Kind::kInvalid;
  }

  void TryAll(OpCheck& check) {
    TryAll(nullptr, check);
    for (const RegisteredOp& user : op_.plugin->ops) {
      if (!IsDone(check) && UsesInGradient(user, op_)) TryAll(&user, check);
    }
  }

  void TryAll(const RegisteredOp* user, OpCheck& check) {
    for (int i = 0; i < options_.draws && !IsDone(check); ++i) {
      Try({user, options_.seed + static_cast<uint64_t>(i)}, check);
    }
  }

  void Try(const Source& source, OpCheck& check) {
    if (IsDone(check)) return;
    const std::optional<GradientProblem> problem =
        source.user == nullptr ? DrawProblem(*ops_, op_, check.type, source.seed)
                               : BorrowProblem(*ops_, op_, *source.user, check.type, source.seed);
    if (problem) Add(*problem, source, check);
  }

  void Add(const GradientProblem& problem, const Source& source, OpCheck& check) {
    GradientVerdict verdict = CheckProblem(engine_, problem);
    if (verdict.kind == Kind::kNotChecked) {
      ++check.kinks;
      if (check.problems == 0) check.verdict.message = verdict.message;
      return;
    }
    accepted_.push_back(source);
    ++check.problems;
    const bool both_right = verdict.kind == Kind::kRight && check.verdict.kind == Kind::kRight;
    if (both_right && verdict.worst <= check.verdict.worst) return;
    check.seed = source.seed;
    check.node = NodeText(*problem.graph);
    check.verdict = std::move(verdict);
  }

  Engine& engine_;
  const RegisteredOp& op_;
  const std::shared_ptr<const LoadedGraph> ops_;
  const OpCheckOptions& options_;
  std::vector<Source> accepted_;  // for the previous type
};

class GraphProblem {
 public:
  GraphProblem(LoadedGraph& graph, const GradientRequest& request, uint64_t seed)
      : graph_(graph), request_(request), draws_(seed) {}

  // Nothing after errors.
  std::optional<GradientProblem> Make() {
    if (graph_.graph() == nullptr) return std::nullopt;
    Resolution resolution;
    PlanOptions options;
    options.threads = 1;
    options.resolution = &resolution;
    const std::shared_ptr<const PlannedGraph> planned = graph_.Plan(options);
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
    Shape shape = value.shape();
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
      error.help = {"pass feeds to --wrt: derivatives are measured by changing their values"};
    }
  }

  LoadedGraph& graph_;
  const GradientRequest& request_;
  Draws draws_;
  GradientProblem problem_;
};

}  // namespace

std::vector<OpCheck> CheckOp(Engine& engine, const RegisteredOp& op, const OpCheckOptions& options) {
  OpChecker checker(engine, op, options);
  std::vector<OpCheck> checks;
  for (const DType type : GradientTypes(op.def)) {
    if (!options.type || *options.type == type) checks.push_back(checker.Check(type));
  }
  return checks;
}

std::optional<GradientVerdict> CheckGraph(LoadedGraph& graph, const GradientRequest& request, uint64_t seed) {
  const std::optional<GradientProblem> problem = GraphProblem(graph, request, seed).Make();
  if (!problem) return std::nullopt;
  GradientVerdict verdict = CheckProblem(graph.engine(), *problem);
  for (const Diagnostic& d : verdict.diagnostics.all()) graph.diagnostics().all().push_back(d);
  if (verdict.kind == Kind::kInvalid) return std::nullopt;
  return verdict;
}

}  // namespace opsrun::host

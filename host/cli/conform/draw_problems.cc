// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "host/cli/conform/conform.h"
#include "host/cli/problem/problem.h"
#include "host/gradient/differentiate.h"
#include "host/spec/shape_engine.h"

namespace opsrun::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostElements = 20'000;  // per tensor, so that a check takes milliseconds
constexpr size_t kFewestOfType = 5;
constexpr size_t kMostProblems = 24;
constexpr uint64_t kDraws = 4'000;  // for each type
constexpr std::chrono::milliseconds kTimeForType{250}, kTimeForOp{1500};
constexpr int kMostRejected = 200;  // calls of kernels with inputs that the shape function rejects

bool AllowsType(const RegisteredOp& op, DType type) {
  const auto allows = [&](const spec::AttrDef& attr) {
    return attr.type.kind == OPSRUN_ATTR_TYPE &&
           (attr.allowed_types.empty() || std::ranges::find(attr.allowed_types, type) != attr.allowed_types.end());
  };
  return std::ranges::any_of(op.def.attrs, allows);
}

}  // namespace

bool DrawNode(const RegisteredOp& op, Problem& problem, std::string* unsupported) {
  static const auto nameless = std::make_shared<const SourceFile>();
  Draws draws(problem.seed);
  auto graph = std::make_shared<Graph>(DrawOpGraph(op, problem.type, nameless, draws));
  InputDrawer inputs(draws, InputSizes::kEdges);
  for (Feed& feed : graph->feeds) {
    const std::optional<Tensor> value = inputs.Draw(feed.dtype->value);
    if (!value) *unsupported = fmt::format("inputs of type {} cannot be drawn", DTypeName(feed.dtype->value));
    if (!value || value->num_elements() > kMostElements) return false;
    feed.shape = {value->shape(), {}};
    problem.call.inputs.push_back(*value);
  }
  problem.text = TextOf(*graph, problem.call.inputs);
  problem.graph = std::move(graph);
  return true;
}

std::string TextOf(const Graph& graph, const std::vector<Tensor>& inputs) {
  Graph shown = graph;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (HasGradient(inputs[i].dtype()) || inputs[i].num_elements() > 8) continue;
    shown.feeds[i].source = Feed::Source::kValue;
    shown.feeds[i].value = inputs[i];
  }
  return NodeText(shown);
}

namespace {

class Drawer {
 public:
  Drawer(Engine& engine, const RegisteredOp& op, TestHost& host, const DrawOptions& options)
      : op_(op), host_(host), options_(options), ops_(LoadOps(engine, *op.plugin)) {}

  Drawn Draw() {
    of_cases_ = true;
    for (Problem& problem : ProblemsOfCases(options_.cases, op_, &reason_)) {
      if (!IsLeftOut(problem.seed) && !Try(problem) && drawn_.failure == std::nullopt) {
        Fail(problem, fmt::format("the op rejects this case: {}", reason_));
      }
    }
    of_cases_ = false;
    const std::vector<DType> types = Types();
    of_type_ = std::max(kFewestOfType, kMostProblems / types.size());
    for (const DType type : types) {
      if (Clock::now() - begin_ > kTimeForOp || drawn_.problems.size() >= kMostProblems) break;
      if (HasKernel(op_, ops_->registry(), type)) DrawType(type);
    }
    if (drawn_.problems.empty()) drawn_.why_none = WhyNone();
    return std::move(drawn_);
  }

 private:
  // An op without a type to choose is drawn for one.
  std::vector<DType> Types() const {
    std::vector<DType> types;
    std::ranges::copy_if(kAllDTypes, std::back_inserter(types),
                         [&](DType type) { return HasValues(type) && AllowsType(op_, type); });
    if (types.empty()) types.push_back(DType::kFloat32);
    return types;
  }

  void DrawType(DType type) {
    const Clock::time_point begin = Clock::now();
    size_t found = 0;
    for (uint64_t i = 0; i < (options_.one ? 1 : kDraws) && found < of_type_; ++i) {
      if (Clock::now() - begin > kTimeForType) break;
      const uint64_t seed = options_.seed + i;
      if (IsLeftOut(seed)) continue;
      Problem problem;
      problem.seed = seed;
      problem.type = type;
      found += DrawNode(op_, problem, &unsupported_) && Try(problem) ? 1 : 0;
    }
  }

  bool IsLeftOut(uint64_t seed) const { return std::ranges::find(options_.left_out, seed) != options_.left_out.end(); }

  bool Try(Problem& problem) {
    Diagnostics ignored;
    const std::shared_ptr<LoadedGraph> loaded = ops_->WithGraph(problem.graph, {});
    std::optional<TypedNode> node = loaded->TypeFirstNode(ignored);
    if (!node) return Reject(ignored);
    if (std::ranges::any_of(node->signature->out_types, HasHandles)) {
      unsupported_ = "its outputs are handles of objects, which exist only in a graph";
      return false;
    }
    problem.op = std::make_shared<const TypedOp>(loaded, *std::move(node));
    problem.call.op = problem.op.get();
    options_.begins(problem.seed, problem.type, problem.text);
    too_large_ = false;
    const bool accepted = InferOutputs(problem);
    if (too_large_) return false;
    if (!accepted && (of_cases_ || !options_.try_rejected || ++rejected_ > kMostRejected)) return false;
    std::shared_ptr<const SourceFile> source;
    problem.kernel = problem.op->MakeKernel({}, ignored, &source);
    if (problem.kernel == nullptr) return Reject(ignored);
    problem.call.kernel = problem.kernel.get();
    return Run(std::move(problem), accepted);
  }

  bool Reject(const Diagnostics& why) {
    for (const Diagnostic& d : why.all()) {
      if (d.severity == Diagnostic::Severity::kError) reason_ = d.message;
    }
    return false;
  }

  // False if the shape function rejects the inputs.
  bool InferOutputs(Problem& problem) {
    spec::ShapeEngine engine;
    OpShapeInputs known;
    for (const Tensor& input : problem.call.inputs) {
      known.shapes.push_back(engine.FromSizes(input.shape()));
      known.values.push_back(&input);
    }
    known.as_shapes.resize(known.shapes.size());
    const Result<OpShapeOutputs> outputs = problem.op->InferShapes(known, engine);
    problem.call.shapes.assign(problem.op->signature().out_types.size(), std::nullopt);
    if (!outputs.ok()) {
      reason_ = outputs.status().message();
      return false;
    }
    for (size_t i = 0; i < problem.call.shapes.size(); ++i) {
      const opsrun_shape* const shape = outputs->shapes[i];
      if (shape->rank >= 0) problem.call.shapes[i] = engine.Sizes(shape);
      Shape sizes = problem.call.shapes[i].value_or(Shape());
      std::ranges::replace(sizes, -1, 1);
      const std::optional<int64_t> elements = NumElements(sizes);
      too_large_ = too_large_ || !elements || *elements > kMostElements;
    }
    return true;
  }

  bool Run(Problem problem, bool accepted) {
    Outcome outcome = host_.Call(problem.call, {});
    if (!outcome.ok() && outcome.text.empty() && outcome.mistake.empty() && outcome.code != OPSRUN_CANCELLED) {
      outcome.mistake = fmt::format("the kernel returned {} without a reason", CodeName(outcome.code));
    }
    // Without a check of its inputs, a kernel writes to memory that is not its own.
    if (!accepted && !outcome.damage.empty()) return Fail(problem, outcome.damage);
    if (!accepted && outcome.mistake.starts_with("the kernel threw")) return Fail(problem, outcome.mistake);
    if (accepted && !outcome.ok() && !IsOfShapes(outcome.mistake)) {
      // A kernel that finds its planned output to be of another shape than it needs says so in its own words.
      const Outcome late = host_.Call(problem.call, {.planned = false});
      if (IsOfShapes(late.mistake)) outcome.mistake = late.mistake;
    }
    if (!outcome.ok()) reason_ = outcome.text;
    if (!accepted || !outcome.ok()) {
      const bool wrong = accepted && !outcome.mistake.empty() && !IsOfShapes(outcome.mistake);
      return wrong ? Fail(problem, outcome.mistake) : KeepOfShapes(std::move(problem), accepted, outcome);
    }
    problem.expected = std::move(outcome.outputs);
    drawn_.problems.push_back(std::move(problem));
    return true;
  }

  // An output of another shape than planned fails the call, and is what the check of shapes looks for.
  static bool IsOfShapes(const std::string& mistake) { return mistake.find("the shape function says") != mistake.npos; }
  bool KeepOfShapes(Problem problem, bool accepted, const Outcome& outcome) {
    if (!accepted || !IsOfShapes(outcome.mistake)) return false;
    drawn_.problems.push_back(std::move(problem));
    return true;
  }

  bool Fail(const Problem& problem, const std::string& message) {
    if (drawn_.failure) return false;
    drawn_.failure = Flaw{message};
    drawn_.failed_node = problem.text;
    drawn_.failed_seed = problem.seed;
    drawn_.failed_type = problem.type;
    return false;
  }

  std::string WhyNone() const {
    if (!unsupported_.empty()) return unsupported_;
    if (reason_.empty()) return "it has no CPU kernel for a type that can be drawn";
    return fmt::format("the op accepted none of the attrs and inputs that were drawn; its last reason: {}", reason_);
  }

  const RegisteredOp& op_;
  TestHost& host_;
  const DrawOptions& options_;
  const std::shared_ptr<const LoadedGraph> ops_;
  const Clock::time_point begin_ = Clock::now();
  Drawn drawn_;
  size_t of_type_ = 0;
  bool of_cases_ = false;   // the problem is a case, not drawn
  bool too_large_ = false;  // the outputs of the last problem
  int rejected_ = 0;
  std::string unsupported_, reason_;
};

}  // namespace

Drawn DrawProblems(Engine& engine, const RegisteredOp& op, TestHost& host, const DrawOptions& options) {
  return Drawer(engine, op, host, options).Draw();
}

}  // namespace opsrun::host

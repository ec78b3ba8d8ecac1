// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "host/cli/conform/conform.h"
#include "host/cli/conform/handles.h"
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
constexpr size_t kMostWithWrongHandles = 4;

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
    const DType dtype = feed.dtype->value;
    const std::optional<Tensor> value = HasHandles(dtype) ? NullHandles(dtype, {}) : inputs.Draw(dtype);
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
    const DType dtype = inputs[i].dtype();
    if (HasGradient(dtype) || HasHandles(dtype) || inputs[i].num_elements() > 8) continue;
    shown.feeds[i].source = Feed::Source::kValue;
    shown.feeds[i].value = inputs[i];
  }
  return NodeText(shown);
}

bool InferOutputShapes(Problem& problem, std::string* reason, bool* too_large) {
  spec::ShapeEngine engine;
  OpShapeInputs known;
  for (const Tensor& input : problem.call.inputs) {
    known.shapes.push_back(engine.FromSizes(input.shape()));
    known.values.push_back(HasHandles(input.dtype()) ? nullptr : &input);
  }
  known.as_shapes.resize(known.shapes.size());
  const Result<OpShapeOutputs> outputs = problem.op->InferShapes(known, engine);
  problem.call.shapes.assign(problem.op->signature().out_types.size(), std::nullopt);
  if (!outputs.ok()) {
    *reason = outputs.status().message();
    return false;
  }
  for (size_t i = 0; i < problem.call.shapes.size(); ++i) {
    const opsrun_shape* const shape = outputs->shapes[i];
    if (shape->rank >= 0) problem.call.shapes[i] = engine.Sizes(shape);
    Shape sizes = problem.call.shapes[i].value_or(Shape());
    std::ranges::replace(sizes, -1, 1);
    const std::optional<int64_t> elements = NumElements(sizes);
    *too_large = *too_large || !elements || *elements > kMostElements;
  }
  return true;
}

namespace {

class Drawer {
 public:
  Drawer(Engine& engine, const RegisteredOp& op, TestHost& host, const DrawOptions& options)
      : op_(op), host_(host), options_(options), ops_(LoadOps(engine, *op.plugin)), makers_(op, *ops_, host) {}

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
    problem.op = std::make_shared<const TypedOp>(loaded, *std::move(node));
    problem.call.op = problem.op.get();
    options_.begins(problem.seed, problem.type, problem.text);
    if (!AddHandles(problem)) return false;
    bool too_large = false;
    const bool accepted = InferOutputShapes(problem, &reason_, &too_large);
    if (too_large) return false;
    if (!accepted && (of_cases_ || !options_.try_rejected || ++rejected_ > kMostRejected)) return false;
    std::shared_ptr<const SourceFile> source;
    problem.kernel = problem.op->MakeKernel({}, ignored, &source);
    if (problem.kernel == nullptr) return Reject(ignored);
    problem.call.kernel = problem.kernel.get();
    return Run(std::move(problem), accepted);
  }

  // Each handle comes from one of some makers, which have nothing to do with the draws of the problem.
  bool AddHandles(Problem& problem) {
    constexpr uint64_t kMakers = 16;
    const std::vector<DType>& types = problem.op->signature().in_types;
    for (size_t i = 0; i < types.size(); ++i) {
      if (!HasHandles(types[i])) continue;
      const uint64_t number = (problem.seed + i) % kMakers;
      std::shared_ptr<const HandleMaker> maker = makers_.Find(types[i], problem.type, number, &unsupported_);
      if (maker == nullptr) return false;
      problem.text += fmt::format("; {} from {}", DTypeName(types[i]), maker->Text());
      problem.call.makers.emplace_back(i, std::move(maker));
    }
    if (!problem.call.makers.empty()) options_.begins(problem.seed, problem.type, problem.text);
    return true;
  }

  // Handles that are not those of the op's objects must be errors.
  void TryWrongHandles(const Problem& problem) {
    const std::vector<std::string> names = TensorNames(problem.op->signature().in_args);
    for (const auto& [input, maker] : problem.call.makers) {
      for (const bool null : {true, false}) {
        std::vector<HandleMaker::Made> made;
        Result<CallInputs> call = WithHandles(host_, problem.call, made);
        if (!call.ok()) return;
        Tensor& handle = call->inputs[input];
        const DType dtype = handle.dtype();
        handle = null ? NullHandles(dtype, handle.shape()) : ForeignHandle(host_.engine(), dtype);
        const std::string what =
            fmt::format("input '{}' is a {}", names[input], null ? "null handle" : "handle of another plugin's object");
        options_.begins(problem.seed, problem.type, fmt::format("{}; but {}", problem.text, what));
        const Outcome outcome = host_.Call(*call, {});
        if (outcome.mistake.starts_with("the kernel threw"))
          Fail(problem, fmt::format("if {}, {}", what, outcome.mistake));
        if (outcome.ok() && !null) Fail(problem, fmt::format("the kernel returned OPSRUN_OK, although {}", what));
      }
    }
  }

  bool Reject(const Diagnostics& why) {
    for (const Diagnostic& d : why.all()) {
      if (d.severity == Diagnostic::Severity::kError) reason_ = d.message;
    }
    return false;
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
    if (options_.try_rejected && drawn_.problems.size() < kMostWithWrongHandles) TryWrongHandles(problem);
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
  HandleMakers makers_;
  const Clock::time_point begin_ = Clock::now();
  Drawn drawn_;
  size_t of_type_ = 0;
  bool of_cases_ = false;  // the problem is a case, not drawn
  int rejected_ = 0;
  std::string unsupported_, reason_;
};

}  // namespace

Drawn DrawProblems(Engine& engine, const RegisteredOp& op, TestHost& host, const DrawOptions& options) {
  return Drawer(engine, op, host, options).Draw();
}

}  // namespace opsrun::host

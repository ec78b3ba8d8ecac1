// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "host/cli/conform/checks.h"
#include "host/cli/conform/handles.h"
#include "host/cli/gradcheck/gradcheck.h"
#include "host/spec/shape_engine.h"

namespace opsrun::host {
namespace {

// How much is known about the inputs.
struct Knowledge {
  std::string_view text;
  bool rank = true, sizes = true, values = true;
  int only = -1;  // the only dimension of each input whose size is known; -1: all
};

constexpr Knowledge kKnowledge[] = {
    {"all shapes and values are known"},
    {"no values are known", true, true, false},
    {"only the first size of each input is known", true, true, false, 0},
    {"only the second size of each input is known", true, true, false, 1},
    {"only the ranks are known", true, false, false},
    {"nothing is known", false, false, false},
};

bool MayBe(const std::vector<int64_t>& inferred, const Shape& real) {
  return std::equal(inferred.begin(), inferred.end(), real.begin(), real.end(),
                    [](int64_t a, int64_t b) { return a == -1 || a == b; });
}

std::string WhyNotShapes(const Problem& problem, const Knowledge& knowledge) {
  spec::ShapeEngine engine;
  OpShapeInputs known;
  for (const Tensor& input : problem.call.inputs) {
    Shape shape = input.shape();
    for (size_t i = 0; i < shape.size(); ++i) {
      const bool is_known = knowledge.sizes && (knowledge.only < 0 || static_cast<size_t>(knowledge.only) == i);
      if (!is_known) shape[i] = -1;
    }
    known.shapes.push_back(knowledge.rank ? engine.FromSizes(shape) : engine.Unknown());
    known.values.push_back(knowledge.values && !HasHandles(input.dtype()) ? &input : nullptr);
  }
  known.as_shapes.resize(known.shapes.size());
  const Result<OpShapeOutputs> outputs = problem.op->InferShapes(known, engine);
  if (!outputs.ok()) {
    return fmt::format("if {}, the shape function fails, but the kernel accepts these inputs: {}", knowledge.text,
                       outputs.status().message());
  }
  const std::vector<std::string> names = TensorNames(problem.op->signature().out_args);
  for (size_t i = 0; i < problem.expected.size(); ++i) {
    const opsrun_shape* const inferred = outputs->shapes[i];
    const Shape& real = problem.expected[i].shape();
    if (inferred->rank < 0 || MayBe(engine.Sizes(inferred), real)) continue;
    return fmt::format("if {}, the shape function says that output '{}' has shape {}, but the kernel makes {}",
                       knowledge.text, names[i], engine.Text(inferred), ShapeText(real));
  }
  return {};
}

// The graph with the nodes that make its handles, and the values of its feeds.
std::shared_ptr<Graph> WithMakers(const Problem& problem, std::map<std::string, Tensor>& feeds) {
  auto graph = std::make_shared<Graph>(*problem.graph);
  size_t i = 0;
  for (size_t k = 0; k < problem.graph->nodes[0].inputs.size(); ++k) {
    for (size_t j = 0; j < problem.graph->nodes[0].inputs[k].from.size(); ++j, ++i) {
      const std::string& feed = problem.graph->feeds[i].name.value;
      const auto of_input = [&](const auto& each) { return each.first == i; };
      const auto maker = std::ranges::find_if(problem.call.makers, of_input);
      if (maker == problem.call.makers.end()) {
        feeds[feed] = problem.call.inputs[i];
        continue;
      }
      std::erase_if(graph->feeds, [&](const Feed& each) { return each.name.value == feed; });
      Reference handle;
      maker->second->AddTo(*graph, feeds, feed, handle);
      graph->nodes[0].inputs[k].from[j] = handle;
    }
  }
  return graph;
}

// The graph with all outputs of its first node that have values, as names that GraphFunction returns them for.
std::shared_ptr<const Graph> WithOutputs(Engine& engine, std::shared_ptr<Graph> graph) {
  Resolution resolution;
  if (engine.LoadGraph(graph)->Plan({.threads = 1, .resolution = &resolution}) == nullptr) return nullptr;
  const std::vector<std::string> names = ValueNames(resolution, *graph);
  const ResolvedNode& node = resolution.nodes[0];
  for (uint32_t i = 0; i < node.signature->out_types.size(); ++i) {
    if (HasHandles(node.signature->out_types[i])) continue;
    GraphOutput& output = graph->outputs.emplace_back();
    output.name.value = fmt::format("output_{}", i);
    output.from = ParseReference(names[node.first_output + i]);
  }
  return graph;
}

// Ops that are not here say nothing about the gradient, unless it has another mistake.
Flaw InvalidGradient(const Diagnostics& invalid) {
  const auto is_of_absent_op = [](const Diagnostic& d) { return d.code == "G201"; };
  const auto other = std::ranges::find_if_not(invalid.all(), is_of_absent_op);
  if (other != invalid.all().end()) return Flaw{"the declared gradient is invalid: " + other->message};
  const Diagnostic& absent = invalid.all().front();
  std::string advice = "add the directory of the plugin that has it: --plugins DIR";
  if (!absent.suggestion.empty()) advice += fmt::format("; or did you mean '{}'?", absent.suggestion);
  return Flaw{"the declared gradient cannot be checked without other plugins: " + absent.message, nullptr, true,
              advice};
}

}  // namespace

std::optional<Flaw> CheckShapes(const Tested& tested) {
  for (const Problem& problem : tested.problems) {
    tested.begins(problem);
    const Outcome outcome = tested.host.Call(problem.call, {.planned = false});
    if (!outcome.mistake.empty()) return Flaw{outcome.mistake, &problem};
    if (tested.op.shape == nullptr) continue;
    for (const Knowledge& knowledge : kKnowledge) {
      std::string why = WhyNotShapes(problem, knowledge);
      if (!why.empty()) return Flaw{std::move(why), &problem};
    }
  }
  return std::nullopt;
}

std::optional<Flaw> CheckEngine(const Tested& tested) {
  return ForEach(tested, [&](const Problem& problem) -> std::string {
    std::map<std::string, Tensor> feeds;
    const std::shared_ptr<const Graph> graph = WithOutputs(tested.engine, WithMakers(problem, feeds));
    if (graph == nullptr) return "a graph with this node cannot be planned";
    tested.engine.resources().Clear();
    Diagnostics found;
    const auto function = GraphFunction::Create(tested.engine, graph, feeds, found);
    if (function == nullptr) return "a graph with this node cannot be planned: " + found.all().front().message;
    const Result<std::vector<Tensor>> outputs = function->Run();
    if (!outputs.ok()) return "in a graph: " + outputs.status().message();
    std::vector<Tensor> all = problem.expected;
    auto next = outputs->begin();
    for (Tensor& each : all) each = HasHandles(each.dtype()) ? each : *next++;
    const std::string difference = Difference(problem, all, problem.expected, false);
    return difference.empty() ? "" : "in a graph: " + difference;
  });
}

std::optional<Flaw> CheckGradient(const Tested& tested) {
  if (tested.op.gradient.empty()) return std::nullopt;
  Diagnostics invalid;
  CheckDeclaredGradient(tested.engine, tested.op, invalid);
  if (invalid.has_errors()) return InvalidGradient(invalid);
  OpCheckOptions options;
  options.problems = 2;
  options.draws = 400;
  int measured = 0;
  for (const OpCheck& check : CheckOp(tested.engine, tested.op, options)) {
    measured += check.problems;
    if (check.verdict.kind != GradientVerdict::Kind::kWrong) continue;
    return Flaw{fmt::format("in {}: {}: {}; with {}", DTypeName(check.type), check.verdict.message,
                            check.verdict.element, check.node)};
  }
  if (measured > 0) return std::nullopt;
  return Flaw{"none of the problems that were drawn for it can be measured", nullptr, true};
}

}  // namespace opsrun::host

// tests/vectors/pad.cc: the plugin pad, opened as a run opens it: once with shapes and values known to the plan, and
// once with nothing known but the data types.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "host/device/device.h"
#include "host/graph/read_graph.h"
#include "host/plan/build_plan.h"
#include "host/plugin/load.h"
#include "host/run/lane.h"
#include "host/tensor/number_type.h"
#include "tests/host/run/one_host.h"
#include "tests/vectors/section.h"
#include "tests/vectors/values.h"

namespace opsrun::vectors {

using namespace host;

namespace {

// One node of a plugin's op, on tensors in hand.
struct NodeRun {
  std::string op;
  std::string mode;  // the value of attr mode; empty: not given
  std::vector<Tensor> inputs;
  bool constants = false;  // the plan knows the inputs; else it knows their data types alone
};

// What became of it: the output, or a message. code: of the kernel's failure; OPSRUN_OK if it came not so far.
struct NodeResult {
  Tensor output;
  int code = OPSRUN_OK;
  std::string message;

  bool ok() const { return message.empty(); }
};

// Every feed is only declared, and as int32: some data types come by no graph file.
std::string GraphText(const NodeRun& run) {
  std::string feeds, in;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    feeds += fmt::format("  x{}: {{dtype: int32}}\n", i);
    in += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
  }
  const std::string attrs = run.mode.empty() ? "" : fmt::format(", attrs: {{mode: '{}'}}", run.mode);
  return fmt::format("opsrun: 1\nfeeds:\n{}nodes:\n  y: {{op: {}, in: [{}]{}}}\noutputs: [y]\n", feeds, run.op, in,
                     attrs);
}

std::string Text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += (text.empty() ? "" : "; ") + d.message;
  return text.empty() ? "no plan, and no reason" : text;
}

// What is not the op's own refusal is no answer: there is no such op, or no kernel for these data types.
void CheckRan(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.code == "G201" || d.code.text().starts_with('K')) throw std::runtime_error(d.message);
  }
}

std::shared_ptr<const Graph> MakeGraph(const NodeRun& run) {
  Diagnostics diagnostics;
  std::optional<Graph> graph =
      ReadGraph(std::make_shared<const SourceFile>(SourceFile{"one_node", GraphText(run)}), diagnostics);
  if (!graph || diagnostics.has_errors()) throw std::runtime_error(Text(diagnostics));
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    Feed& feed = graph->feeds[i];
    feed.dtype->value = run.inputs[i].dtype();
    if (!run.constants) continue;
    feed.source = Feed::Source::kValue;
    feed.value = run.inputs[i];
  }
  return std::make_shared<const Graph>(*std::move(graph));
}

NodeResult RunPlan(const Plan& plan, const NodeRun& run) {
  const std::unique_ptr<Device> device = OpenCpuDevice();
  Result<std::unique_ptr<Lane>> lane = Lane::Create(plan, {device.get(), HostTable()});
  if (!lane.ok()) return {{}, lane.status().code(), lane.status().message()};
  for (size_t i = 0; !run.constants && i < run.inputs.size(); ++i) {
    const Status status = (*lane)->SetFeed(fmt::format("x{}", i), run.inputs[i]);
    if (!status.ok()) throw std::runtime_error(status.message());
  }
  if (const std::optional<RunFailure> failure = (*lane)->Run()) {
    return {{}, failure->status.code(), failure->status.message()};
  }
  Result<Tensor> output = (*lane)->Output(0);
  if (!output.ok()) throw std::runtime_error(output.status().message());
  return {*std::move(output), OPSRUN_OK, {}};
}

NodeResult RunNode(const LoadResult& plugin, const NodeRun& run) {
  Catalog catalog;
  Diagnostics diagnostics;
  PlanInputs inputs;
  inputs.graph = MakeGraph(run);
  inputs.catalog = &catalog;
  inputs.loaded = &plugin;
  inputs.host = HostTable();
  const std::unique_ptr<const Plan> plan = BuildPlan(inputs, diagnostics);
  CheckRan(diagnostics);
  if (plan == nullptr) return {{}, OPSRUN_OK, Text(diagnostics)};
  return RunPlan(*plan, run);
}

constexpr std::pair<std::string_view, std::string_view> kKinds[] = {{"may have at most", "rank"},
                                                                    {"must be a matrix of 2 columns", "paddings_shape"},
                                                                    {"must have a row for each", "paddings_rank"},
                                                                    {"must not be negative", "negative"},
                                                                    {"must be a scalar", "constant_not_scalar"},
                                                                    {"allows borders of at most", "mirror_too_big"},
                                                                    {"REFLECT needs an element", "mirror_too_big"}};

std::string Text(const Tensor& tensor) {
  std::string text = ShapeText(tensor.shape());
  for (int64_t i = 0; i < tensor.num_elements(); ++i)
    text += tensor.dtype() == DType::kString ? fmt::format(" '{}'", tensor.string(i)) : " " + ExactText(tensor, i);
  return text;
}

NodeRun RunOf(const Tree& entry, DType dtype) {
  NodeRun run;
  run.op = TextOf(entry, "op");
  run.mode = TextOf(entry, "mode");
  const Tree* paddings_dtype = entry.Find("paddings_dtype");
  run.inputs = {
      TensorOf(At(entry, "input"), dtype),
      TensorOf(At(entry, "paddings"), paddings_dtype == nullptr ? DType::kInt32 : TypeOf(TextOf(*paddings_dtype)))};
  if (const Tree* constant = entry.Find("constant_values")) run.inputs.push_back(TensorOf(*constant, dtype));
  return run;
}

// A plan's refusal has no code of its own.
std::string FoundText(const NodeResult& result, const Tree* fails) {
  if (result.ok()) return Text(result.output);
  const bool is_of_plan = result.code == OPSRUN_OK && fails != nullptr;
  return FoundFailure(fails, {{"code", is_of_plan ? TextOf(*fails, "code") : CodeName(result.code)},
                              {"kind", KindOf(kKinds, result.message)}});
}

}  // namespace

Verdict RunPad(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "op", "mode", "dtype", "paddings_dtype", "input", "paddings", "constant_values",
                      "gives", "fails"});
  const DType dtype = TypeOf(TextOf(entry, "dtype"));
  const Tree* fails = entry.Find("fails");
  NodeRun run = RunOf(entry, dtype);
  Verdict verdict;
  verdict.expected = fails != nullptr ? ExpectedFailure(*fails) : Text(TensorOf(At(entry, "gives"), dtype));
  const NodeResult ran = RunNode(PadPlugin(), run);
  run.constants = true;
  const NodeResult known = RunNode(PadPlugin(), run);
  verdict.found = FoundText(ran, fails);
  // Of several mistakes, the plan may find another one first.
  const bool agree = known.ok() == ran.ok() && (!ran.ok() || Text(known.output) == Text(ran.output));
  if (!agree) verdict.found += "; where the plan knows the inputs: " + FoundText(known, fails);
  return verdict;
}

}  // namespace opsrun::vectors

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>

#include "host/base/file.h"
#include "host/cli/conform/conform.h"
#include "host/engine/engine.h"
#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

const Feed* FindFeed(const Graph& graph, const Reference& reference) {
  const auto found =
      std::ranges::find_if(graph.feeds, [&](const Feed& feed) { return feed.name.value == reference.name; });
  return found == graph.feeds.end() || !reference.output.empty() ? nullptr : &*found;
}

bool HasValueHere(const Feed* feed) {
  return feed != nullptr && (feed->source == Feed::Source::kValue || feed->source == Feed::Source::kFill ||
                             feed->source == Feed::Source::kRandom);
}

// The input of the node for argument i of the op; null: it is missing.
const NodeInput* InputOf(const Node& node, const spec::OpDef& op, size_t i) {
  for (const NodeInput& input : node.inputs) {
    if (input.arg.value == op.inputs[i].name) return &input;
  }
  return i < node.inputs.size() && node.inputs[i].arg.value.empty() ? &node.inputs[i] : nullptr;
}

// The node alone, with a declared feed for each input. Nothing, and *reason, if an input is no feed with a value.
std::optional<Problem> ProblemOf(const Graph& cases, const Node& node, const RegisteredOp& op, std::string* reason) {
  Problem problem;
  auto graph = std::make_shared<Graph>();
  graph->source = cases.source;
  Node alone = node;
  alone.inputs.clear();
  alone.after.clear();
  for (size_t i = 0; i < op.def.inputs.size(); ++i) {
    const NodeInput* const input = InputOf(node, op.def, i);
    if (input == nullptr) continue;  // planning reports it
    NodeInput& made = alone.inputs.emplace_back();
    made.arg.value = op.def.inputs[i].name;
    made.list = input->list;
    for (const Reference& reference : input->from) {
      const Feed* const feed = FindFeed(cases, reference);
      if (!HasValueHere(feed)) {
        *reason = fmt::format("'{}', an input of node '{}', is not a feed with a value in the graph of --cases",
                              ReferenceText(reference), node.name.value);
        return std::nullopt;
      }
      Feed& declared = graph->feeds.emplace_back();
      declared.name.value = made.list ? fmt::format("{}_{}", made.arg.value, made.from.size()) : made.arg.value;
      declared.dtype = {feed->value.dtype(), {}};
      declared.shape = {feed->value.shape(), {}};
      made.from.push_back({declared.name.value, {}, -1, {}});
      problem.call.inputs.push_back(feed->value);
    }
  }
  graph->nodes.push_back(std::move(alone));
  problem.text = fmt::format("{}{}': {}", kCaseText, node.name.value, TextOf(*graph, problem.call.inputs));
  if (!problem.call.inputs.empty()) problem.type = problem.call.inputs[0].dtype();
  problem.graph = std::move(graph);
  return problem;
}

Status WriteWhole(const std::filesystem::path& path, std::string_view text) {
  Result<AtomicFile> file = AtomicFile::Create(path.string());
  if (!file.ok()) return file.status();
  const Status status = file->Write(text.data(), text.size());
  return status.ok() ? file->Commit() : status;
}

Status WriteNode(const std::filesystem::path& folder, const ReproNode& node, const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (node.files[i].empty()) continue;
    Result<AtomicFile> file = WriteNpyAside((folder / node.files[i]).string(), inputs[i]);
    if (!file.ok()) return file.status();
    if (const Status status = file->Commit(); !status.ok()) return status;
  }
  const Status status = WriteWhole(folder / "graph.yaml", node.graph);
  return status.ok() ? WriteWhole(folder / "plugin.yaml", *node.plugin) : status;
}

}  // namespace

std::vector<Problem> ProblemsOfCases(const Graph* cases, const RegisteredOp& op, std::string* reason) {
  std::vector<Problem> problems;
  if (cases == nullptr) return problems;
  uint64_t seed = std::numeric_limits<uint64_t>::max();
  for (const Node& node : cases->nodes) {
    if (node.op.value != op.def.name && node.op.value != fmt::format("{}.{}", op.plugin->name, op.def.name)) continue;
    std::optional<Problem> problem = ProblemOf(*cases, node, op, reason);
    if (!problem) continue;
    problem->seed = seed--;
    problems.push_back(*std::move(problem));
  }
  return problems;
}

Status WriteProblem(Engine& engine, const RegisteredOp& op, uint64_t seed, DType type, const std::string& folder) {
  Problem problem;
  problem.seed = seed;
  problem.type = type;
  std::string ignored;
  if (!DrawNode(op, problem, &ignored)) return FailedPrecondition("there is no such problem");
  PlanOptions options;
  options.threads = 1;
  for (size_t i = 0; i < problem.call.inputs.size(); ++i) {
    const Tensor& input = problem.call.inputs[i];
    options.feeds[problem.graph->feeds[i].name.value] = {input.dtype(), input.shape()};
  }
  Diagnostics found;
  const std::shared_ptr<const PlannedGraph> planned = engine.LoadGraph(problem.graph)->Plan(options, found);
  if (planned == nullptr) return FailedPrecondition("no graph has it: " + found.all().front().message);
  std::error_code error;
  const std::filesystem::path aside = folder + ".part";
  if (!std::filesystem::create_directory(aside, error))
    return CannotWrite(aside.string(), error ? error.value() : EEXIST);
  for (const ReproNode& node : NodesAlone(planned->plan())) {
    if (node.graph.empty()) continue;
    Status status = WriteNode(aside, node, problem.call.inputs);
    if (status.ok()) {
      std::filesystem::rename(aside, folder, error);
      if (error) status = CannotWrite(folder, error.value());
    }
    if (!status.ok()) std::filesystem::remove_all(aside, error);
    return status;
  }
  return FailedPrecondition("its plan has no node");
}

}  // namespace opsrun::host

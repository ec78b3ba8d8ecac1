// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/cli/gradcheck/gradcheck.h"
#include "host/cli/judge/exchange.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

Json TypeJson(const TensorType& type) {
  return {{"dtype", DTypeName(type.dtype)}, {"shape", type.shape}};
}

std::vector<TensorType> ReadTypes(const Json& json, const char* key) {
  std::vector<TensorType> types;
  for (const Json& type : json.value(key, Json::array())) {
    const DType dtype = DTypeFromName(type.value("dtype", "")).value_or(DType::kInvalid);
    types.push_back({dtype, type.value("shape", Shape())});
  }
  return types;
}

std::string CopyName(const std::string& name, uint32_t copy) {
  return fmt::format("{}__copy{}", name, copy);
}

bool IsWidened(const Value& value, DType narrow) {
  return value.kind == Value::Kind::kScalar && DTypeFromName(value.text) == narrow;
}

void Widen(Graph& graph, const PlanRequest& request) {
  for (Feed& feed : graph.feeds) {
    if (feed.dtype && feed.dtype->value == request.narrow) feed.dtype->value = request.wide;
    if (feed.value.dtype() != request.narrow) continue;
    const Result<Tensor> wider = FromRealParts(request.wide, feed.value.shape(), RealParts(feed.value));
    if (wider.ok()) feed.value = *wider;
  }
  for (Node& node : graph.nodes) {
    for (NodeAttr& attr : node.attrs) {
      if (IsWidened(attr.value, request.narrow)) attr.value.text = DTypeName(request.wide);
    }
  }
}

// Feeds with values in the graph are the same for all copies.
bool IsCopied(const Graph& graph, const std::string& name) {
  for (const Feed& feed : graph.feeds) {
    if (feed.name.value == name) return feed.source == Feed::Source::kDeclared;
  }
  return true;
}

void AddCopy(const Graph& one, const PlanRequest& request, uint32_t copy, Graph& all) {
  const auto rename = [&](std::string& name) {
    if (IsCopied(one, name)) name = CopyName(name, copy);
  };
  for (Feed feed : one.feeds) {
    if (feed.source != Feed::Source::kDeclared && copy > 0) continue;
    rename(feed.name.value);
    all.feeds.push_back(std::move(feed));
  }
  for (Node node : one.nodes) {
    rename(node.name.value);
    for (NodeInput& input : node.inputs) {
      for (Reference& from : input.from) rename(from.name);
    }
    for (Located<std::string>& after : node.after) rename(after.value);
    all.nodes.push_back(std::move(node));
  }
  for (size_t i = 0; i < request.results.size(); ++i) {
    GraphOutput output;
    output.name.value = CopyName(fmt::format("result{}", i), copy);
    output.from = ParseReference(request.results[i]);
    rename(output.from.name);
    all.outputs.push_back(std::move(output));
  }
}

Status FirstError(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Diagnostic::Severity::kError) return FailedPrecondition(d.message);
  }
  return Internal("the graph cannot be planned");
}

}  // namespace

std::string PlanRequest::Text() const {
  return JsonOnOneLine({{"graph", graph},
                        {"op", op},
                        {"results", results},
                        {"feeds", JsonArray(feeds, TypeJson)},
                        {"outputs", JsonArray(outputs, TypeJson)},
                        {"copies", copies}});
}

// The judge wrote it: what does not parse has been changed by the plugin.
std::optional<PlanRequest> PlanRequest::Read(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  PlanRequest request;
  request.graph = json.value("graph", "");
  request.op = json.value("op", "");
  request.results = json.value("results", std::vector<std::string>());
  request.copies = json.value("copies", 1U);
  request.feeds = ReadTypes(json, "feeds");
  request.outputs = ReadTypes(json, "outputs");
  return request;
}

Result<std::shared_ptr<CallablePlan>> MakePlan(Engine& engine, const PlanRequest& request) {
  const auto source = std::make_shared<const SourceFile>(SourceFile{"the graph of the judge", request.graph});
  const std::shared_ptr<LoadedGraph> read = engine.LoadText(source);
  // An op of another name is looked for later.
  if (read->graph() == nullptr || (request.op.empty() && read->diagnostics().has_errors()))
    return FirstError(read->diagnostics());
  Graph one = *read->graph();
  if (request.wide != DType::kInvalid) Widen(one, request);
  if (!request.op.empty() && one.nodes.size() == 1) one.nodes[0].op.value = request.op;
  auto all = std::make_shared<Graph>();
  all->source = source;
  all->directory = one.directory;
  for (uint32_t copy = 0; copy < request.copies; ++copy) AddCopy(one, request, copy, *all);
  const std::shared_ptr<LoadedGraph> loaded = engine.LoadGraph(all);
  if (loaded->diagnostics().has_errors()) return FirstError(loaded->diagnostics());
  PlanOptions options;
  size_t i = 0;
  for (const Feed& feed : all->feeds) {
    if (feed.source != Feed::Source::kDeclared) continue;
    const TensorType& type = request.feeds[i++ % request.feeds.size()];
    options.feeds[feed.name.value] = {type.dtype, type.shape};
  }
  Diagnostics diagnostics;
  std::shared_ptr<const PlannedGraph> planned = loaded->Plan(options, diagnostics);
  if (planned == nullptr) return FirstError(diagnostics);
  return std::make_shared<CallablePlan>(std::move(planned));
}

std::string WorkerOrder::Text() const {
  return JsonOnOneLine({{"plugin", plugin},
                        {"folders", folders},
                        {"level", level},
                        {"address", address},
                        {"tensors_address", tensors_address},
                        {"tensors_bytes", tensors_bytes},
                        {"threads", threads},
                        {"sandbox", sandbox}});
}

std::optional<WorkerOrder> WorkerOrder::Read(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  WorkerOrder order;
  order.plugin = json.value("plugin", "");
  order.folders = json.value("folders", std::vector<std::string>());
  order.level = json.value("level", uint32_t{OPSRUN_LEVEL});
  order.address = json.value("address", uint64_t{0});
  order.tensors_address = json.value("tensors_address", uint64_t{0});
  order.tensors_bytes = json.value("tensors_bytes", uint64_t{0});
  order.threads = json.value("threads", 1);
  order.sandbox = json.value("sandbox", false);
  return order;
}

}  // namespace opsrun::host

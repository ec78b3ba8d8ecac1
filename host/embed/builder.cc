// host/embed/builder.cc: graphs that are built with function calls.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/embed/objects.h"

using namespace opsrun::host;

namespace {

constexpr int64_t kMostElements = 1 << 20;  // of a constant in a text meant for people

Status AddConstant(GraphBuilder& graph, const std::string& name, const opsrun_in& in) {
  TensorRef ref;
  Tensor copy;
  if (Status status = ReadTensor(in, nullptr, &ref, &copy); !status.ok()) return status;
  Shape shape(ref.shape, ref.shape + ref.rank);
  const int64_t elements = *NumElements(shape);
  if (elements > kMostElements) {
    return ResourceExhausted(fmt::format("constant '{}' has {} elements, at most {} are written into a graph", name,
                                         elements, kMostElements));
  }
  const Result<Tensor> tensor = Tensor::CopyOf(ref.dtype, std::move(shape), ref.data);
  if (!tensor.ok()) return tensor.status();
  graph.AddConstant(name, *tensor);
  return OkStatus();
}

std::optional<Located<std::string>> Optional(opsrun_str text) {
  return text.size == 0 ? std::nullopt : std::optional(Located<std::string>{TextOf(text), {}});
}

Status AddNode(GraphBuilder& graph, const opsrun_node& given) {
  RequireZero("opsrun_node.reserved", given.reserved | given.reserved_2);
  Node node;
  node.name.value = TextOf(given.name);
  node.op.value = TextOf(given.op);
  for (const opsrun_node_input& input : ListOf(given.inputs, given.n_inputs)) {
    RequireFlags("opsrun_node_input.list", input.list, 1);
    NodeInput& added = node.inputs.emplace_back(NodeInput{{TextOf(input.arg), {}}, input.list != 0, {}, {}});
    for (const opsrun_str& from : ListOf(input.from, input.n_from)) added.from.push_back({TextOf(from), "", -1, {}});
  }
  Result<std::vector<NodeAttr>> attrs = AttrsOf(ListOf(given.attrs, given.n_attrs), node.name.value);
  if (!attrs.ok()) return attrs.status();
  node.attrs = *std::move(attrs);
  for (const opsrun_str& after : ListOf(given.after, given.n_after)) node.after.push_back({TextOf(after), {}});
  node.label = Optional(given.label);
  node.device = Optional(given.device);
  graph.AddNode(node);
  return OkStatus();
}

int32_t Answer(Code code, const Status& status, opsrun_report** report) {
  if (status.ok()) return Report({}, nullptr, report);
  return ReportStatus(code, status, report);
}

}  // namespace

extern "C" {

int32_t opsrun_builder_create(opsrun_builder** builder) {
  return Making(builder, builder, [] { return std::make_unique<opsrun_builder>(); });
}

void opsrun_builder_destroy(opsrun_builder* builder) {
  delete builder;
}

int32_t opsrun_builder_feed(opsrun_builder* builder, opsrun_str name, int32_t dtype, int32_t rank,
                            const int64_t* shape) {
  return Guarded(builder, nullptr, [&]() -> int32_t {
    if (!IsDType(DTypeFromNumber(dtype)) || rank > OPSRUN_MAX_RANK || (rank > 0 && shape == nullptr))
      return OPSRUN_INVALID_ARGUMENT;
    const Shape sizes = rank > 0 ? Shape(shape, shape + rank) : Shape();
    builder->graph.AddFeed(TextOf(name), DTypeFromNumber(dtype), rank < 0 ? nullptr : &sizes);
    return OPSRUN_OK;
  });
}

int32_t opsrun_builder_constant(opsrun_builder* builder, opsrun_str name, const opsrun_in* value,
                                opsrun_report** report) {
  return Guarded(builder, report, [&] {
    return Answer("F305", AddConstant(builder->graph, TextOf(name), ListOf(value, 1)[0]), report);
  });
}

int32_t opsrun_builder_node(opsrun_builder* builder, const opsrun_node* node, opsrun_report** report) {
  return Guarded(builder, report, [&] { return Answer("G214", AddNode(builder->graph, Known(node)), report); });
}

int32_t opsrun_builder_output(opsrun_builder* builder, opsrun_str name, opsrun_str from) {
  return Guarded(builder, nullptr, [&] {
    builder->graph.AddOutput(TextOf(name), TextOf(from));
    return OPSRUN_OK;
  });
}

int32_t opsrun_builder_to_yaml(const opsrun_builder* builder, opsrun_text** yaml) {
  return MakingText(builder, yaml, [&] { return builder->graph.ToYaml(); });
}

int32_t opsrun_builder_load(const opsrun_builder* builder, opsrun_engine* engine, opsrun_str name,
                            const opsrun_graph_options* options, opsrun_graph** graph, opsrun_report** report) {
  *graph = nullptr;
  return Guarded(builder, report, [&] {
    return TakeGraph(engine->cached_plans, builder->graph.Load(*engine->engine, TextOf(name), OptionsOf(options)),
                     graph, report);
  });
}

}  // extern "C"

// host/embed/graph.cc: loads graphs, and prepares single ops.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "host/embed/objects.h"
#include "host/gradient/differentiate.h"
#include "host/graph/compiled_graph.h"
#include "host/graph/read_graph.h"

using namespace opsrun::host;

namespace {

// Nothing after error U005.
std::optional<Reference> ReadName(opsrun_str name, Diagnostics& found) {
  const SourceFile nowhere{};
  Diagnostics ignored;
  Reporter reporter(nowhere, ignored);
  std::optional<Reference> reference = ReadReference(StringValue(TextOf(name)), reporter);
  if (!reference) {
    found.Error("U005", fmt::format("'{}' does not name a tensor", TextOf(name))).help = {
        "give the name of a feed or a node, NODE.OUTPUT or NODE.OUTPUT.INDEX"};
  }
  return reference;
}

std::optional<GradientRequest> ReadRequest(std::span<const opsrun_gradient_of> of, std::span<const opsrun_str> wrt,
                                           Diagnostics& found) {
  GradientRequest request;
  for (const opsrun_gradient_of& each : of) {
    std::optional<Reference> tensor = ReadName(each.tensor, found), gradient;
    if (each.gradient.size > 0) gradient = ReadName(each.gradient, found);
    if (tensor) request.of.push_back({*std::move(tensor), std::move(gradient)});
  }
  for (const opsrun_str& name : wrt) {
    if (std::optional<Reference> tensor = ReadName(name, found)) request.wrt.push_back(*std::move(tensor));
  }
  return found.has_errors() ? std::nullopt : std::optional(std::move(request));
}

}  // namespace

extern "C" {

int32_t opsrun_graph_load_file(opsrun_engine* engine, opsrun_str path, const opsrun_graph_options* options,
                               opsrun_graph** graph, opsrun_report** report) {
  *graph = nullptr;
  return Guarded(engine, report, [&] {
    LoadOptions load = OptionsOf(options, OPSRUN_GRAPH_STRICT | OPSRUN_GRAPH_FROZEN);
    load.only_runs = true;
    return TakeGraph(engine->cached_plans, engine->engine->LoadFile(TextOf(path), load), graph, report);
  });
}

int32_t opsrun_graph_load_text(opsrun_engine* engine, opsrun_str name, opsrun_str text,
                               const opsrun_graph_options* options, opsrun_graph** graph, opsrun_report** report) {
  *graph = nullptr;
  return Guarded(engine, report, [&] {
    LoadOptions load = OptionsOf(options);
    load.only_runs = true;
    auto source = std::make_shared<const SourceFile>(SourceFile{TextOf(name), TextOf(text)});
    return TakeGraph(engine->cached_plans, engine->engine->LoadText(std::move(source), load), graph, report);
  });
}

int32_t opsrun_graph_to_yaml(const opsrun_graph* graph, opsrun_text** yaml) {
  return MakingText(graph, yaml, [&] { return graph->callable.loaded().source()->text; });
}

// Loads a text that was made from that of `original`, whose arrays may be beside its text.
static std::shared_ptr<LoadedGraph> LoadDerived(const LoadedGraph& original, std::shared_ptr<const SourceFile> source) {
  const LoadOptions options{.device = original.device()};
  Diagnostics found;
  std::optional<Graph> read = ReadGraph(source, found);
  if (!read || !found.all().empty()) return original.engine().LoadText(std::move(source), options);
  TakeArrays(*original.graph(), *read);
  return original.engine().LoadGraph(std::make_shared<const Graph>(*std::move(read)), {}, options);
}

int32_t opsrun_graph_differentiate(const opsrun_graph* graph, const opsrun_gradient_of* of, uint32_t n_of,
                                   const opsrun_str* wrt, uint32_t n_wrt, const opsrun_node_gradient* given,
                                   uint32_t n_given, opsrun_graph** gradients, opsrun_report** report) {
  *gradients = nullptr;
  return Guarded(graph, report, [&] {
    Diagnostics found;
    std::optional<GradientRequest> request = ReadRequest(ListOf(of, n_of), ListOf(wrt, n_wrt), found);
    if (!request) return Report(std::move(found), nullptr, report);
    request->fill_feeds = false;  // runs need the caller's feeds
    for (const opsrun_node_gradient& each : ListOf(given, n_given))
      request->given[TextOf(each.node)] = TextOf(each.gradient);
    // Loading and planning report into the graph, so this uses a copy.
    const LoadedGraph& original = graph->callable.loaded();
    const std::shared_ptr<LoadedGraph> copy = original.engine().LoadGraph(original.located_graph());
    const std::optional<DerivedGradients> derived = DifferentiateGraph(*copy, *request);
    if (!derived) return Report(copy->diagnostics(), copy->share_source(), report);
    std::string text = GradientGraphText(*copy->graph(), *request, *derived, copy->graph()->directory);
    auto source = std::make_shared<const SourceFile>(SourceFile{copy->source()->path, std::move(text)});
    const int32_t code = TakeGraph(graph->cached_plans, LoadDerived(original, std::move(source)), gradients, report);
    const bool silent = code == OPSRUN_OK && (report == nullptr || *report == nullptr);
    return silent ? Report(copy->diagnostics(), copy->share_source(), report) : code;  // warnings
  });
}

void opsrun_graph_destroy(opsrun_graph* graph) {
  delete graph;
}

uint32_t opsrun_graph_n_feeds(const opsrun_graph* graph) {
  return graph == nullptr ? 0 : CountOf(graph->feeds);
}
uint32_t opsrun_graph_n_outputs(const opsrun_graph* graph) {
  return graph == nullptr ? 0 : CountOf(graph->outputs);
}
const opsrun_tensor_info* opsrun_graph_feed(const opsrun_graph* graph, uint32_t i) {
  return graph == nullptr ? nullptr : graph->feeds.Get(i);
}
const opsrun_tensor_info* opsrun_graph_output(const opsrun_graph* graph, uint32_t i) {
  return graph == nullptr ? nullptr : graph->outputs.Get(i);
}
int32_t opsrun_graph_find_feed(const opsrun_graph* graph, opsrun_str name) {
  return graph == nullptr ? -1 : graph->feeds.Find(name);
}
int32_t opsrun_graph_find_output(const opsrun_graph* graph, opsrun_str name) {
  return graph == nullptr ? -1 : graph->outputs.Find(name);
}

int32_t opsrun_engine_prepare(opsrun_engine* engine, opsrun_str op, const opsrun_op_input* inputs, uint32_t n_inputs,
                              const opsrun_attr* attrs, uint32_t n_attrs, const opsrun_prepare_options* options,
                              opsrun_prepared** prepared, opsrun_report** report) {
  return MakingWithReport(engine, prepared, report, [&](Diagnostics& diagnostics, auto* source) {
    const std::span<const opsrun_attr> given = ListOf(attrs, n_attrs);
    const OpCall call{TextOf(op),
                      ReadInputs(ListOf(inputs, n_inputs), false, diagnostics),
                      {given.begin(), given.end()},
                      WishOf(options)};
    return diagnostics.has_errors() ? nullptr : engine->ops->Prepare(call, diagnostics, source);
  });
}

void opsrun_prepared_destroy(opsrun_prepared* prepared) {
  delete prepared;
}

uint32_t opsrun_prepared_n_outputs(const opsrun_prepared* prepared) {
  return prepared == nullptr ? 0 : CountOf(prepared->outputs);
}
const opsrun_tensor_info* opsrun_prepared_output(const opsrun_prepared* prepared, uint32_t i) {
  return prepared == nullptr ? nullptr : prepared->outputs.Get(i);
}

}  // extern "C"

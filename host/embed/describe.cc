// host/embed/describe.cc: graphs as text for people and programs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "host/embed/objects.h"
#include "host/graph/graph.h"
#include "host/show/graph_text.h"

using namespace opsrun::host;

namespace {

int32_t Give(std::string text, opsrun_text** to) {
  *to = new opsrun_text{std::move(text)};
  return OPSRUN_OK;
}

// Returns the text that `show` makes of the graph and its resolution.
template <typename Show>
int32_t Describe(const opsrun_graph* graph, opsrun_text** text, Show show) {
  return MakingText(graph, text, [&] {
    const LoadedGraph& loaded = graph->callable.loaded();
    const std::shared_ptr<const Graph> located = loaded.located_graph();
    Resolution resolution;  // loading found no errors
    loaded.engine().LoadGraph(located, {}, {.device = loaded.device()})->Plan({.resolution = &resolution});
    return show(*located, resolution);
  });
}

// Adds F305 for each invalid entry.
std::map<std::string, FeedType> ReadTypes(std::span<const opsrun_tensor_info> feeds, Diagnostics& diagnostics) {
  std::map<std::string, FeedType> types;
  for (const opsrun_tensor_info& feed : feeds) {
    const DType dtype = DTypeFromNumber(feed.dtype);
    std::optional<int64_t> elements;
    if (const Status status = CheckType(dtype, feed.rank, feed.shape, &elements); !status.ok()) {
      ReportInput(fmt::format("feed '{}'", TextOf(feed.name)), status, diagnostics);
    } else {
      types[TextOf(feed.name)] = {dtype, Shape(feed.shape, feed.shape + feed.rank)};
    }
  }
  return types;
}

}  // namespace

extern "C" {

int32_t opsrun_graph_to_yaml_with(const opsrun_graph* graph, const opsrun_feed_file* files, uint32_t n_files,
                                  opsrun_text** yaml, opsrun_report** report) {
  *yaml = nullptr;
  return Guarded(graph, report, [&] {
    const LoadedGraph& loaded = graph->callable.loaded();
    std::vector<std::string> names;
    std::vector<FeedFile> wanted;
    for (const opsrun_feed_file& file : ListOf(files, n_files)) {
      wanted.push_back({TextOf(file.feed), TextOf(file.npz), TextOf(file.key)});
      names.push_back(wanted.back().feed);
    }
    Diagnostics diagnostics;
    CheckFeeds(*loaded.graph(), names, false, diagnostics);
    if (diagnostics.has_errors()) return Report(std::move(diagnostics), loaded.share_source(), report);
    return Give(WithFeedFiles(*loaded.source(), wanted), yaml);
  });
}

int32_t opsrun_graph_to_json(const opsrun_graph* graph, opsrun_text** json) {
  return Describe(graph, json, [](const Graph& described, const Resolution& resolution) {
    return GraphJson(described, resolution);
  });
}

int32_t opsrun_graph_to_dot(const opsrun_graph* graph, opsrun_text** dot) {
  return Describe(graph, dot, [](const Graph& described, const Resolution& resolution) {
    return GraphDot(described, resolution, Diagnostics());
  });
}

int32_t opsrun_graph_plan(const opsrun_graph* graph, const opsrun_tensor_info* feeds, uint32_t n_feeds, uint32_t flags,
                          opsrun_text** text, opsrun_report** report) {
  *text = nullptr;
  return Guarded(graph, report, [&] {
    RequireFlags("the flags of opsrun_graph_plan", flags, OPSRUN_PLAN_JSON);
    const LoadedGraph& loaded = graph->callable.loaded();
    Diagnostics diagnostics;
    PlanOptions options;
    options.feeds = ReadTypes(ListOf(feeds, n_feeds), diagnostics);
    Resolution resolution;
    options.resolution = &resolution;
    std::vector<std::string> names;
    for (const auto& [name, type] : options.feeds) names.push_back(name);
    Diagnostics of_names;
    CheckFeeds(*loaded.graph(), names, false, of_names);
    if (of_names.has_errors()) CheckFeeds(*loaded.located_graph(), names, false, diagnostics);  // with places
    const std::shared_ptr<const PlannedGraph> planned = loaded.Plan(options, diagnostics);
    if (planned == nullptr) return Report(std::move(diagnostics), loaded.share_source(), report);
    const PlanFacts facts{planned->plan(), resolution, loaded.registry()};
    return Give((flags & OPSRUN_PLAN_JSON) != 0 ? PlanJson(facts) : PlanText(facts), text);
  });
}

}  // extern "C"

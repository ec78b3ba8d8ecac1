// host/cli/feed_files.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/feed_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/base/near_names.h"
#include "host/tensor/npy.h"
#include "host/tensor/npz.h"

namespace opsrun::host {
namespace {

const Feed* FindFeed(const Graph& graph, const std::string& name) {
  const auto found =
      std::find_if(graph.feeds.begin(), graph.feeds.end(), [&](const Feed& feed) { return feed.name.value == name; });
  return found == graph.feeds.end() ? nullptr : &*found;
}

std::vector<std::string> DeclaredNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const Feed& feed : graph.feeds) {
    if (feed.source == Feed::Source::kDeclared) names.push_back(feed.name.value);
  }
  return names;
}

Diagnostic& ErrorAtFeed(const Graph& graph, const Feed& feed, std::string code, std::string message,
                        Diagnostics& diagnostics) {
  Diagnostic& d = diagnostics.Error(std::move(code), std::move(message));
  d.file = graph.source->path;
  d.where = feed.name.span;
  return d;
}

void ReportUnknown(const Graph& graph, const FeedArgument& argument, Diagnostics& diagnostics) {
  diagnostics
      .Error("F301",
             fmt::format("--feed {}={}: the graph has no feed named '{}'", argument.name, argument.path, argument.name))
      .help = {DidYouMean(argument.name, DeclaredNames(graph), "declared feeds")};
}

void ReportValue(const Graph& graph, const Feed& feed, Diagnostics& diagnostics) {
  const std::string& name = feed.name.value;
  Diagnostic& d = ErrorAtFeed(graph, feed, "F303",
                              fmt::format("--feed gives '{}', which has a value in the graph", name), diagnostics);
  d.help = {fmt::format("leave out --feed {}, or only declare the feed: {}: {{dtype: ..., shape: [...]}}", name, name)};
}

void ReportMissing(const Graph& graph, const Feed& feed, Diagnostics& diagnostics) {
  const std::string& name = feed.name.value;
  Diagnostic& d = ErrorAtFeed(
      graph, feed, "F304", fmt::format("feed '{}' is declared only, and no array is given for it", name), diagnostics);
  d.help = {fmt::format("give it an array: --feed {}=FILE.npy", name)};
}

// The array, or nothing after an error.
std::optional<Tensor> ReadArray(const Graph& graph, const FeedArgument& argument, Diagnostics& diagnostics) {
  const Feed* feed = FindFeed(graph, argument.name);
  if (feed == nullptr) {
    ReportUnknown(graph, argument, diagnostics);
    return std::nullopt;
  }
  if (feed->source != Feed::Source::kDeclared) {
    ReportValue(graph, *feed, diagnostics);
    return std::nullopt;
  }
  const std::optional<DType> as = feed->dtype ? std::optional<DType>(feed->dtype->value) : std::nullopt;
  Result<Tensor> tensor = argument.key.empty() ? ReadNpy(argument.path, as) : ReadNpz(argument.path, argument.key, as);
  if (tensor.ok()) return *std::move(tensor);
  Diagnostic& d = diagnostics.Error("F302", fmt::format("--feed {}: {}", argument.name, tensor.status().message()));
  if (tensor.status().subject() != "key") d.help = {"name a file that numpy.save or numpy.savez wrote"};
  return std::nullopt;
}

// True if the feed is among the arguments, perhaps mistyped: that it is missing then follows from another error.
bool IsMeant(const std::vector<FeedArgument>& arguments, const Graph& graph, const std::string& name) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const FeedArgument& argument) {
    if (FindFeed(graph, argument.name) != nullptr) return argument.name == name;
    return !NearNames(argument.name, {name}).empty();
  });
}

}  // namespace

std::map<std::string, Tensor> ReadFeedFiles(const std::vector<FeedArgument>& arguments, const Graph& graph,
                                            Diagnostics& diagnostics) {
  std::map<std::string, Tensor> arrays;
  for (const FeedArgument& argument : arguments) {
    if (std::optional<Tensor> array = ReadArray(graph, argument, diagnostics))
      arrays.emplace(argument.name, *std::move(array));
  }
  return arrays;
}

void RequireFeeds(const std::vector<FeedArgument>& arguments, const Graph& graph, Diagnostics& diagnostics) {
  for (const Feed& feed : graph.feeds) {
    const bool declared = feed.source == Feed::Source::kDeclared;
    if (declared && !IsMeant(arguments, graph, feed.name.value)) ReportMissing(graph, feed, diagnostics);
  }
}

}  // namespace opsrun::host

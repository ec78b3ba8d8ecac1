// host/engine/check_feeds.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/check_feeds.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/near_names.h"

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

bool IsLeftOut(const Graph& graph, const std::string& name) {
  return std::find(graph.left_out.begin(), graph.left_out.end(), name) != graph.left_out.end();
}

Diagnostic& ErrorAtFeed(const Graph& graph, const Feed& feed, Code code, std::string message,
                        Diagnostics& diagnostics) {
  Diagnostic& d = diagnostics.Error(code, std::move(message));
  d.file = graph.source->path;
  d.where = feed.name.span;
  return d;
}

void CheckGiven(const Graph& graph, const std::string& name, Diagnostics& diagnostics) {
  const Feed* const feed = FindFeed(graph, name);
  if (feed == nullptr) {
    if (IsLeftOut(graph, name)) return;  // it has a mistake, which was told
    diagnostics.Error("F301", fmt::format("the graph has no feed named '{}'", name)).help = {
        DidYouMean(name, DeclaredNames(graph), "declared feeds")};
  } else if (feed->source != Feed::Source::kDeclared) {
    ErrorAtFeed(graph, *feed, "F303",
                fmt::format("an array is given for feed '{}', which has a value in the graph", name), diagnostics)
        .help = {fmt::format("leave the array out, or only declare the feed: {}: {{dtype: ..., shape: [...]}}", name)};
  }
}

// True if the feed is among those given, perhaps mistyped: that it is missing then follows from another error.
bool IsMeant(const Graph& graph, const std::vector<std::string>& given, const std::string& name) {
  return std::any_of(given.begin(), given.end(), [&](const std::string& word) {
    return FindFeed(graph, word) != nullptr ? word == name : !NearNames(word, {name}).empty();
  });
}

}  // namespace

void CheckFeeds(const Graph& graph, const std::vector<std::string>& given, bool all, Diagnostics& diagnostics) {
  for (const std::string& name : given) CheckGiven(graph, name, diagnostics);
  if (!all) return;
  for (const Feed& feed : graph.feeds) {
    const std::string& name = feed.name.value;
    if (feed.source != Feed::Source::kDeclared || IsMeant(graph, given, name)) continue;
    ErrorAtFeed(graph, feed, "F304", fmt::format("feed '{}' is declared only, and no array is given for it", name),
                diagnostics);
  }
}

}  // namespace opsrun::host

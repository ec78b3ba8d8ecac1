// host/cli/feed_files.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/feed_files.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "host/tensor/npy.h"
#include "host/tensor/npz.h"

namespace opsrun::host {
namespace {

const Feed* FindDeclared(const Graph& graph, const std::string& name) {
  for (const Feed& feed : graph.feeds) {
    if (feed.name.value == name && feed.source == Feed::Source::kDeclared) return &feed;
  }
  return nullptr;
}

// The array, or nothing after an error.
std::optional<Tensor> ReadArray(const Feed& feed, const FeedArgument& argument, Diagnostics& diagnostics) {
  const std::optional<DType> as = feed.dtype ? std::optional<DType>(feed.dtype->value) : std::nullopt;
  Result<Tensor> tensor = argument.key.empty() ? ReadNpy(argument.path, as) : ReadNpz(argument.path, argument.key, as);
  if (tensor.ok()) return *std::move(tensor);
  Diagnostic& d = diagnostics.Error("F302", fmt::format("--feed {}: {}", argument.name, tensor.status().message()));
  if (tensor.status().subject() != "key") d.help = {"name a file that numpy.save or numpy.savez wrote"};
  return std::nullopt;
}

}  // namespace

std::map<std::string, Tensor> ReadFeedFiles(const std::vector<FeedArgument>& arguments, const Graph& graph,
                                            Diagnostics& diagnostics) {
  std::map<std::string, Tensor> arrays;
  for (const FeedArgument& argument : arguments) {
    const Feed* const feed = FindDeclared(graph, argument.name);
    if (feed == nullptr) continue;
    if (std::optional<Tensor> array = ReadArray(*feed, argument, diagnostics)) {
      arrays.emplace(argument.name, *std::move(array));
    }
  }
  return arrays;
}

void ExplainMissingFeeds(const Graph& graph, Diagnostics& diagnostics) {
  for (Diagnostic& d : diagnostics.all()) {
    if (d.code != "F304") continue;
    for (const Feed& feed : graph.feeds) {
      if (feed.name.span.begin.line != d.where.begin.line || feed.name.span.begin.column != d.where.begin.column)
        continue;
      d.help = {fmt::format("give it an array: --feed {}=FILE.npy", feed.name.value)};
    }
  }
}

}  // namespace opsrun::host

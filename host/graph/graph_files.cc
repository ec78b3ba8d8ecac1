// SPDX-License-Identifier: Apache-2.0
#include "host/graph/graph_files.h"

#include <fmt/core.h>

#include <optional>
#include <unordered_map>

#include "host/base/atomic_file.h"
#include "host/yaml/read_yaml.h"
#include "host/yaml/value.h"
#include "host/yaml/write_yaml.h"

namespace opsrun::host {
namespace {

GraphFile FileOf(const Graph& graph, const Located<std::string>& file, std::string what) {
  std::string path = graph.Resolve(file.value);
  std::string identity = FileIdentity(path);
  return {std::move(path), std::move(identity), std::move(what), file.span};
}

}  // namespace

std::vector<GraphFile> FilesRead(const Graph& graph) {
  std::vector<GraphFile> files;
  const std::string& own = graph.source->path;
  if (own != "-") files.push_back({own, FileIdentity(own), "the graph", {}});
  for (const Feed& feed : graph.feeds) {
    const bool has_file = feed.source == Feed::Source::kNpy || feed.source == Feed::Source::kNpz;
    if (has_file) files.push_back(FileOf(graph, feed.path, fmt::format("feed '{}'", feed.name.value)));
  }
  for (const GraphCheck& check : graph.checks) {
    if (check.npy) files.push_back(FileOf(graph, *check.npy, "a check"));
    if (check.npz) files.push_back(FileOf(graph, *check.npz, "a check"));
  }
  return files;
}

std::vector<GraphFile> FilesWritten(const Graph& graph) {
  std::vector<GraphFile> files;
  for (const GraphOutput& output : graph.outputs) {
    if (output.file() == nullptr) continue;
    files.push_back(FileOf(graph, *output.file(), fmt::format("output '{}'", output.name.value)));
  }
  return files;
}

void RefuseOverwrites(const Graph& graph, Reporter& reporter) {
  const std::vector<GraphFile> written = FilesWritten(graph);
  if (written.empty()) return;
  std::unordered_map<std::string, GraphFile> read;
  for (GraphFile& file : FilesRead(graph)) read.emplace(file.identity, std::move(file));
  for (const GraphFile& file : written) {
    const auto found = read.find(file.identity);
    if (found == read.end()) continue;
    const GraphFile& lost = found->second;
    Diagnostic& error =
        reporter.Error("G116", file.where,
                       lost.where.known() ? fmt::format("{} would overwrite a file that {} reads", file.what, lost.what)
                                          : fmt::format("{} would overwrite the graph itself", file.what));
    if (lost.where.known()) error.also.push_back({lost.where, "read here"});
    error.help.push_back("write the output to another file");
  }
}

std::string WithFeedFiles(const SourceFile& source, const std::vector<FeedFile>& files) {
  Diagnostics ignored;  // the text was already read without errors
  std::optional<Value> root = ReadYaml(source, ignored);
  Value* const feeds = root ? root->Find("feeds") : nullptr;
  if (feeds == nullptr) return source.text;
  for (const FeedFile& file : files) {
    Value* const feed = feeds->Find(file.feed);
    if (feed == nullptr) continue;
    AddEntry(*feed, "npz", StringValue(file.npz));
    AddEntry(*feed, "key", StringValue(file.key));
  }
  return WriteYaml(*root);
}

}  // namespace opsrun::host

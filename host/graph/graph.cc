// host/graph/graph.cc: versions, and ranges of them.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <unordered_map>
#include <utility>

#include "host/base/file.h"
#include "host/graph/compiled_graph.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

using Relation = VersionRange::Relation;

constexpr size_t kMostDigits = 18;
constexpr std::string_view kDigits = "0123456789";
// Longer operators come before their prefixes.
constexpr std::pair<std::string_view, Relation> kSigns[] = {
    {">=", Relation::kGreaterEqual}, {"<=", Relation::kLessEqual}, {"==", Relation::kEqual},
    {"!=", Relation::kNotEqual},     {">", Relation::kGreater},    {"<", Relation::kLess}};

bool Holds(VersionRange::Bound bound, Version version) {
  const size_t numbers = std::max(version.size(), bound.version.size());
  version.resize(numbers);
  bound.version.resize(numbers);
  const std::strong_ordering order = version <=> bound.version;
  switch (bound.relation) {
    case Relation::kEqual:
      return order == 0;
    case Relation::kNotEqual:
      return order != 0;
    case Relation::kLess:
      return order < 0;
    case Relation::kLessEqual:
      return order <= 0;
    case Relation::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

// [begin, end) of `text` without the spaces around it.
std::pair<size_t, size_t> Trimmed(std::string_view text, size_t begin, size_t end) {
  while (begin < end && text[begin] == ' ') ++begin;
  while (end > begin && text[end - 1] == ' ') --end;
  return {begin, end};
}

std::string Quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::optional<VersionRange::Bound> ParseBound(std::string_view text, size_t begin, size_t end, RangeMistake* mistake) {
  VersionRange::Bound bound;
  for (const auto& [sign, relation] : kSigns) {
    if (text.substr(begin, end - begin).substr(0, sign.size()) != sign) continue;
    bound.relation = relation;
    begin = Trimmed(text, begin + sign.size(), end).first;
    break;
  }
  const std::string_view word = text.substr(begin, end - begin);
  if (std::optional<Version> version = ParseVersion(word)) {
    bound.version = *std::move(version);
    return bound;
  }
  const bool sign = !word.empty() && kDigits.find(word[0]) == std::string_view::npos;
  *mistake = {
      begin, std::max(end, begin + 1),
      word.empty() ? "missing version"
                   : Quoted(word) + (sign ? " does not begin with an operator or a version" : " is not a version"),
      "write a version such as 1.4.0, with or without >=, >, <=, <, == or != before it; separate several with ','"};
  return std::nullopt;
}

}  // namespace

std::optional<Version> ParseVersion(std::string_view text) {
  Version version;
  while (true) {
    const size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
    if (digits == 0 || digits > kMostDigits) return std::nullopt;
    uint64_t number = 0;
    for (const char c : text.substr(0, digits)) number = number * 10 + static_cast<uint64_t>(c - '0');
    version.push_back(number);
    if (digits == text.size()) return version;
    if (text[digits] != '.') return std::nullopt;
    text.remove_prefix(digits + 1);
  }
}

bool VersionRange::Holds(const Version& version) const {
  return std::all_of(bounds.begin(), bounds.end(),
                     [&](const Bound& bound) { return opsrun::host::Holds(bound, version); });
}

std::optional<VersionRange> ParseVersionRange(std::string_view text, RangeMistake* mistake) {
  VersionRange range;
  const auto [first, last] = Trimmed(text, 0, text.size());
  if (text.substr(first, last - first) == "*") return range;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const auto [from, to] = Trimmed(text, begin, comma);
    std::optional<VersionRange::Bound> bound = ParseBound(text, from, to, mistake);
    if (!bound) return std::nullopt;
    range.bounds.push_back(*std::move(bound));
    begin = comma + 1;
  }
  return range;
}

size_t Graph::num_nodes() const {
  return compiled == nullptr ? nodes.size() : compiled->nodes.size();
}

const std::vector<Node>& Graph::AllNodes() const {
  return compiled == nullptr ? nodes : compiled->AllNodes();
}

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

// host/graph/read_graph.cc: a graph file to a Graph.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/file.h"
#include "host/base/near_names.h"
#include "host/graph/fields.h"
#include "host/graph/graph_files.h"
#include "host/graph/read_sections.h"
#include "host/yaml/read_yaml.h"
#include "host/yaml/reporter.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

constexpr int64_t kFormat = 1;
constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Of a pipe, /dev/fd/63 or /dev/stdin, it is the current one.
std::string DirectoryOf(const std::string& path) {
  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return {};
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Empty if there is none.
std::string FreeText(const Value& root, const char* key, Reporter& reporter) {
  const Value* const text = root.Find(key);
  if (text == nullptr) return {};
  const bool one = CheckKind(*text, Value::Kind::kScalar, fmt::format("'{}'", key), "write a text", reporter);
  return one ? text->text : "";
}

// Names in a section with an unknown key may be those of feeds or nodes.
void LeaveOutUnknownSections(const Value& root, const Fields& fields, Graph& graph) {
  for (const Value::Entry& section : root.entries) {
    if (std::find(fields.allowed.begin(), fields.allowed.end(), section.key) != fields.allowed.end()) continue;
    for (const Value::Entry& entry : section.value.entries) graph.left_out.push_back(entry.key);
  }
}

}  // namespace

bool CheckFormat(const Value& root, const char* what, Reporter& reporter) {
  const Value* const format = root.Find("opsrun");
  if (format == nullptr) {
    const auto is_near = [](const Value::Entry& entry) { return !NearNames(entry.key, {"opsrun"}).empty(); };
    if (std::any_of(root.entries.begin(), root.entries.end(), is_near)) return true;  // an unknown key, so far
    const Span where = root.entries.empty() ? root.span : root.entries.front().key_span;
    reporter.Refuse("G101", where, fmt::format("this {} does not say 'opsrun: 1'", what),
                    "begin the file with 'opsrun: 1'");
    return true;
  }
  const std::optional<int64_t> number = AsInt(*format);
  if (number == kFormat) return true;
  if (!number) {
    const std::string expected = format->quoted ? "the number 1, found the text" : "1, found";
    reporter.Refuse("G101", format->span, fmt::format("'opsrun' must be {} {}", expected, FoundText(*format)),
                    format->quoted ? "write 'opsrun: 1', with no quotes around the 1" : "write 'opsrun: 1'");
    return true;
  }
  return reporter.Refuse("G101", format->span,
                         fmt::format("this {} is of format {}; this version of opsrun reads format 1", what, *number),
                         *number > kFormat ? "use a newer opsrun" : "write 'opsrun: 1'");
}

std::string Graph::Resolve(const std::string& path) const {
  if (directory.empty() || path.empty() || path[0] == '/') return path;
  return directory.back() == '/' ? directory + path : directory + "/" + path;
}

Result<std::shared_ptr<const SourceFile>> ReadSource(const std::string& path) {
  Result<std::string> text = path == "-" ? ReadStandardInput(kMaxBytes) : ReadFileOrPipe(path, kMaxBytes);
  if (!text.ok()) return text.status();
  if (text->rfind(kByteOrderMark, 0) == 0) text->erase(0, kByteOrderMark.size());
  return std::make_shared<const SourceFile>(SourceFile{path, *std::move(text)});
}

std::optional<Graph> ReadGraph(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics) {
  std::optional<Value> root = ReadYaml(*source, diagnostics);
  if (!root) return std::nullopt;
  Reporter reporter(*source, diagnostics);
  if (!CheckKind(*root, Value::Kind::kMap, "a graph file", "begin with 'opsrun: 1'", reporter)) return std::nullopt;
  if (!CheckFormat(*root, "graph", reporter)) return std::nullopt;
  static const Fields fields{"a graph",
                             {"opsrun", "name", "description", "requires", "feeds", "nodes", "outputs", "checks"},
                             {"params", "defaults"}};
  CorrectKeys(*root, fields, reporter);
  Graph graph;
  LeaveOutUnknownSections(*root, fields, graph);
  graph.name = FreeText(*root, "name", reporter);
  FreeText(*root, "description", reporter);
  graph.source = std::move(source);
  graph.directory = DirectoryOf(graph.source->path);
  if (const Value* requires_ = root->Find("requires")) ReadRequires(*requires_, graph, reporter);
  if (Value* feeds = root->Find("feeds")) ReadFeeds(*feeds, graph, reporter);
  if (Value* nodes = root->Find("nodes")) ReadNodes(*nodes, /*of_gradient=*/false, graph, reporter);
  if (Value* outputs = root->Find("outputs")) ReadOutputs(*outputs, graph, reporter);
  if (Value* checks = root->Find("checks")) ReadChecks(*checks, graph, reporter);
  DropNodesNamedLikeFeeds(graph, reporter);
  RefuseOverwrites(graph, reporter);
  return graph;
}

}  // namespace opsrun::host

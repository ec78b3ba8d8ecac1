// host/graph/read_graph.cc: a graph file to a Graph.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/tensor/npy.h"
#include "host/yaml/simple_lines.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

constexpr int64_t kFormat = 1;
constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// For a pipe, /dev/fd/63 or /dev/stdin, it is the current directory.
std::string DirectoryOf(const std::string& path) {
  if ((path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) || path.starts_with("/proc/")) return {};
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Empty if the key is missing.
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

// The section "outputs".

// NAME: REFERENCE, or NAME: {from: REFERENCE, npy: FILE, npz: FILE, key: NAME, print: BOOL}
class OutputReader {
 public:
  OutputReader(Value::Entry& entry, Reporter& reporter) : entry_(entry), reporter_(reporter) {}

  std::optional<GraphOutput> Read() {
    if (!CheckName(entry_, "an output", reporter_)) return std::nullopt;
    output_.name = {entry_.key, entry_.key_span};
    if (entry_.value.kind == Value::Kind::kMap) {
      ReadMap(entry_.value);
    } else {
      ok_ = Take(ReadReference(entry_.value, reporter_), output_.from);
    }
    if (!ok_) return std::nullopt;
    return std::move(output_);
  }

 private:
  void ReadMap(Value& map) {
    static const Fields fields{"an output", {"from", "npy", "npz", "key", "print"}, {}};
    CorrectKeys(map, fields, reporter_);
    ok_ = ReadFrom(map);
    ok_ = TakeText(map, "npy", "write the path of the file", output_.npy, reporter_) && ok_;
    ok_ = ReadArchive(map) && ok_;
    output_.print = output_.file() == nullptr;
    ok_ = TakeFlag(map, "print", output_.print, reporter_) && ok_;
  }

  bool ReadFrom(const Value& map) {
    if (const Value* from = map.Find("from")) return Take(ReadReference(*from, reporter_), output_.from);
    return !map.incomplete &&
           reporter_.Refuse("G106", entry_.key_span, fmt::format("output {} has no 'from'", Quote(entry_.key)),
                            "add 'from: NODE' or 'from: NODE.OUTPUT'");
  }

  // Reads 'npz' and 'key', whose default is the output's name.
  bool ReadArchive(const Value& map) {
    const Value* const npz = map.Find("npz");
    const Value* const key = map.Find("key");
    if (npz != nullptr && output_.npy) {
      Diagnostic& error =
          reporter_.Error("G110", npz->span, fmt::format("output {} has both 'npy' and 'npz'", Quote(entry_.key)));
      error.also.push_back({output_.npy->span, "first here"});
      error.help.push_back("remove one of them, or write the other to a second output");
      return false;
    }
    const bool has_path = TakeText(map, "npz", "write the path of the file", output_.npz, reporter_);
    if (!Take(ReadArrayKey(map, output_.name, reporter_), output_.key) || !has_path) return false;
    return key == nullptr || IsNpzKey(output_.key.value) ||
           reporter_.Refuse(
               "G107", key->span,
               fmt::format("{} is not a valid name for an array in an .npz file", Quote(output_.key.value)),
               "a name has at most 200 bytes and contains no '/', '\\' or control character");
  }

  Value::Entry& entry_;
  Reporter& reporter_;
  GraphOutput output_;
  bool ok_ = true;
};

std::optional<GraphOutput> ReadListedOutput(const Value& value, Reporter& reporter) {
  std::optional<Reference> reference = ReadReference(value, reporter);
  if (!reference) return std::nullopt;
  GraphOutput output;
  output.name = {value.text, value.span};
  output.from = *std::move(reference);
  return output;
}

// Adds outputs whose names and files are not taken yet.
class OutputList {
 public:
  OutputList(Graph& graph, Reporter& reporter) : graph_(graph), reporter_(reporter) {}

  void Add(std::optional<GraphOutput> output) {
    if (!output) return;
    const auto [named, new_name] = names_.emplace(output->name.value, output->name.span);
    if (!new_name)
      return Refuse("G103", fmt::format("output {} is defined twice", Quote(named->first)), output->name.span,
                    named->second);
    if (output->file() != nullptr && !TakeFile(*output)) return;
    graph_.outputs.push_back(*std::move(output));
  }

 private:
  struct Taken {
    Span span;
    bool npz = false;
    std::unordered_map<std::string, Span> keys;
  };

  // Only one output can write a file, except that several can write to an archive under different keys.
  bool TakeFile(const GraphOutput& output) {
    const Located<std::string>& file = *output.file();
    const std::string identity = FileIdentity(graph_.Resolve(file.value));
    const auto [taken, new_file] = files_.emplace(identity, Taken{file.span, output.npz.has_value(), {}});
    if (!new_file && !(taken->second.npz && output.npz)) {
      Refuse("G109", fmt::format("two outputs write {}", Quote(file.value)), file.span, taken->second.span);
      return false;
    }
    if (!output.npz) return true;
    const auto [key, new_key] = taken->second.keys.emplace(output.key.value, output.key.span);
    if (new_key) return true;
    Refuse("G109", fmt::format("two outputs write array {} of {}", Quote(output.key.value), Quote(file.value)),
           output.key.span, key->second);
    return false;
  }

  void Refuse(Code code, std::string message, const Span& second, const Span& first) {
    Diagnostic& error = reporter_.Error(code, second, std::move(message));
    error.label = "second here";
    error.also.push_back({first, "first here"});
    error.help.push_back("remove or rename one of them");
  }

  Graph& graph_;
  Reporter& reporter_;
  std::unordered_map<std::string, Span> names_;
  std::unordered_map<std::string, Taken> files_;  // keyed by FileIdentity: 'a.npy' and './a.npy' are equal
};

// Drops invalid outputs.
void ReadOutputs(Value& section, Graph& graph, Reporter& reporter) {
  OutputList outputs(graph, reporter);
  if (section.kind == Value::Kind::kList) {
    for (const Value& item : section.items) outputs.Add(ReadListedOutput(item, reporter));
  } else if (CheckKind(section, Value::Kind::kMap, "'outputs'", "write a list of references, or a map NAME: REFERENCE",
                       reporter)) {
    for (Value::Entry& entry : section.entries) outputs.Add(OutputReader(entry, reporter).Read());
  }
}

// The section "requires".

// The location of bytes [begin, end) of a scalar's text if it is on one line without escapes; otherwise the whole
// scalar.
Span PlaceWithin(const Value& value, size_t begin, size_t end) {
  const Span& whole = value.span;
  const size_t quote = value.quoted ? 1 : 0;
  const bool as_it_reads =
      whole.begin.line == whole.end.line && whole.end.column - whole.begin.column == value.text.size() + 2 * quote;
  if (!as_it_reads) return whole;
  const auto column = [&](size_t offset) { return static_cast<uint32_t>(whole.begin.column + quote + offset); };
  return {{whole.begin.line, column(begin)}, {whole.begin.line, column(end)}};
}

void ReadRequirement(const Value::Entry& entry, Graph& graph, Reporter& reporter) {
  const Value& value = entry.value;
  const std::string help = "write a range such as \">= 1.2, < 2\", or \"*\" for any version";
  if (!CheckKind(value, Value::Kind::kScalar, fmt::format("the version of plugin {}", Quote(entry.key)), help,
                 reporter)) {
    return;
  }
  RangeMistake mistake;
  std::optional<VersionRange> range = ParseVersionRange(value.text, &mistake);
  if (range) {
    graph.requirements.push_back({{entry.key, entry.key_span}, {value.text, value.span}, *std::move(range)});
    return;
  }
  reporter.Refuse("G111", PlaceWithin(value, mistake.begin, mistake.end), std::move(mistake.message),
                  std::move(mistake.help));
}

// Adds an error G111 for each invalid range of versions.
void ReadRequires(const Value& section, Graph& graph, Reporter& reporter) {
  const char* const help = "write each plugin as NAME: \">= 1.2, < 2\"";
  if (!CheckKind(section, Value::Kind::kMap, "'requires'", help, reporter)) return;
  for (const Value::Entry& entry : section.entries) ReadRequirement(entry, graph, reporter);
}

}  // namespace

bool CheckFormat(const Value& root, const char* what, Reporter& reporter, const char* key) {
  const Value* const format = root.Find(key);
  if (format == nullptr) {
    const auto is_near = [key](const Value::Entry& entry) { return !NearNames(entry.key, {key}).empty(); };
    if (std::any_of(root.entries.begin(), root.entries.end(), is_near)) return true;  // reported as an unknown key
    const Span where = root.entries.empty() ? root.span : root.entries.front().key_span;
    reporter.Refuse("G101", where, fmt::format("this {} has no '{}: 1'", what, key),
                    fmt::format("begin the file with '{}: 1'", key));
    return true;
  }
  const std::optional<int64_t> number = AsInt(*format);
  if (number == kFormat) return true;
  const std::string write = fmt::format("write '{}: 1'", key);
  if (!number) {
    const std::string expected = format->quoted ? "the number 1, found the string" : "1, found";
    reporter.Refuse("G101", format->span, fmt::format("'{}' must be {} {}", key, expected, FoundText(*format)),
                    format->quoted ? write + ", without quotes" : write);
    return true;
  }
  return reporter.Refuse("G101", format->span,
                         fmt::format("this {} uses format {}; this version of opsrun reads format 1", what, *number),
                         *number > kFormat ? "use a newer opsrun" : write);
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

namespace {

std::optional<Graph> ReadSections(Value root, SimpleLines* nodes, std::shared_ptr<const SourceFile> source,
                                  Diagnostics& diagnostics);

// Reads nodes in simple lines without a parser. Nothing if the text has none, or anything else that needs attention:
// then it must be read as a whole.
std::optional<Graph> ReadLines(const std::shared_ptr<const SourceFile>& source) {
  SimpleLines lines(source->text, "nodes");
  if (lines.size() == 0) return std::nullopt;
  Diagnostics found;
  std::optional<Value> root = ReadYaml({source->path, lines.others()}, found);
  if (!root) return std::nullopt;
  const auto section = std::ranges::find(root->entries, "nodes", &Value::Entry::key);
  if (section == root->entries.end() || section->key_span.begin != Position{lines.section_line(), 1})
    return std::nullopt;
  if (section->value.kind == Value::Kind::kNull) section->value.kind = Value::Kind::kMap;
  std::optional<Graph> graph = ReadSections(*std::move(root), &lines, source, found);
  if (!graph || !found.all().empty()) return std::nullopt;
  std::unordered_set<std::string_view> names;
  names.reserve(graph->nodes.size());
  for (const Node& node : graph->nodes) {
    if (!names.insert(node.name.value).second) return std::nullopt;
  }
  return graph;
}

}  // namespace

std::optional<Graph> ReadGraph(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics) {
  if (std::optional<Graph> graph = ReadLines(source)) return graph;
  std::optional<Value> root = ReadYaml(*source, diagnostics);
  if (!root) return std::nullopt;
  return ReadTree(*std::move(root), std::move(source), diagnostics);
}

std::optional<Graph> ReadTree(Value root, std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics) {
  return ReadSections(std::move(root), nullptr, std::move(source), diagnostics);
}

namespace {

std::optional<Graph> ReadSections(Value root, SimpleLines* lines, std::shared_ptr<const SourceFile> source,
                                  Diagnostics& diagnostics) {
  Reporter reporter(*source, diagnostics);
  if (!CheckKind(root, Value::Kind::kMap, "a graph file", "begin with 'opsrun: 1'", reporter)) return std::nullopt;
  if (!CheckFormat(root, "graph", reporter)) return std::nullopt;
  static const Fields fields{"a graph",
                             {"opsrun", "name", "description", "requires", "feeds", "nodes", "outputs", "checks"},
                             {"params", "defaults"}};
  CorrectKeys(root, fields, reporter);
  Graph graph;
  LeaveOutUnknownSections(root, fields, graph);
  graph.name = FreeText(root, "name", reporter);
  FreeText(root, "description", reporter);
  graph.source = std::move(source);
  graph.directory = DirectoryOf(graph.source->path);
  if (const Value* requires_ = root.Find("requires")) ReadRequires(*requires_, graph, reporter);
  if (Value* feeds = root.Find("feeds")) ReadFeeds(*feeds, graph, reporter);
  if (Value* nodes = root.Find("nodes")) ReadNodes(*nodes, /*of_gradient=*/false, graph, reporter, lines);
  if (Value* outputs = root.Find("outputs")) ReadOutputs(*outputs, graph, reporter);
  if (Value* checks = root.Find("checks")) ReadChecks(*checks, graph, reporter);
  DropNodesNamedLikeFeeds(graph, reporter);
  RefuseOverwrites(graph, reporter);
  return graph;
}

}  // namespace

}  // namespace opsrun::host

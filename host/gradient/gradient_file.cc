// host/gradient/gradient_file.cc: writes a graph with its gradients as a graph file.
//
// Such files have very many nodes, so their values exist one at a time, if at all.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/gradient/differentiate.h"
#include "host/graph/tensor_value.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

// The text of NodeValue with short inputs.
EntryLine LineOf(const Node& node) {
  EntryLine line(node.name.value);
  line.Open('{');
  line.Key("op");
  line.Word(node.op.value);
  const auto add_input = [&](const NodeInput& input) {
    const bool list = input.list || input.from.size() != 1;
    if (list) line.Open('[');
    for (const Reference& from : input.from) line.Word(from.output.empty() ? from.name : ReferenceText(from));
    if (list) line.Close(']');
  };
  const bool named = !node.inputs.empty() && !node.inputs[0].arg.value.empty();
  const bool single = !named && node.inputs.size() == 1 && !node.inputs[0].list && node.inputs[0].from.size() == 1;
  if (!node.inputs.empty()) line.Key("in");
  if (!node.inputs.empty() && !single) line.Open(named ? '{' : '[');
  for (const NodeInput& input : node.inputs) {
    if (named) line.Key(input.arg.value);
    add_input(input);
  }
  if (!node.inputs.empty() && !single) line.Close(named ? '}' : ']');
  if (!node.attrs.empty()) {
    line.Key("attrs");
    line.Open('{');
    for (const NodeAttr& attr : node.attrs) {
      line.Key(attr.name.value);
      line.Add(attr.value);
    }
    line.Close('}');
  }
  const auto add_text = [&](const char* key, const Rare<Located<std::string>>& value) {
    if (!value) return;
    line.Key(key);
    line.Word(value->value);
  };
  add_text("label", node.label);
  add_text("device", node.device);
  add_text("gradient_of", node.gradient_of);
  line.Close('}');
  return line;
}

// The place of the nodes in the text of a graph file that has only them below "nodes:", each on a line as it will be
// written; nothing otherwise. Such lines need not be parsed again.
std::optional<std::pair<size_t, size_t>> FindLines(const Graph& graph) {
  constexpr std::string_view kHead = "\nnodes:\n";
  const std::string_view text = graph.source->text;
  const size_t head = text.find(kHead);
  if (head == std::string_view::npos || graph.nodes.empty()) return std::nullopt;
  const auto lines_before = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(head), '\n');
  auto number = static_cast<uint32_t>(lines_before) + 3;
  size_t at = head + kHead.size();
  for (const Node& node : graph.nodes) {
    const EntryLine line = LineOf(node);
    const std::string_view written = text.substr(at, line.text().size() + 3);
    const bool same = line.simple() && node.name.span.begin.line == number++ && node.after.empty() &&
                      written.starts_with("  ") && written.ends_with('\n') &&
                      written.substr(2, line.text().size()) == line.text();
    if (!same) return std::nullopt;
    at += written.size();
  }
  return std::pair(head + kHead.size(), at);
}

// Writes a graph with its gradients as the text of a graph file.
class TextMaker {
 public:
  TextMaker(const Graph& graph, const GradientRequest& request, const DerivedGradients& gradients,
            const std::string& directory)
      : graph_(graph), request_(request), gradients_(gradients), directory_(directory) {}

  std::string Make() {
    Diagnostics ignored;  // any errors were reported when the text was first read
    const auto lines = gradients_.filled.empty() ? FindLines(graph_) : std::nullopt;
    const SourceFile others{graph_.source->path, lines ? WithoutLines(lines->first, lines->second) : std::string()};
    std::optional<Value> root = ReadYaml(lines ? others : *graph_.source, ignored);
    if (!root) return {};
    MovePaths(root->Find("feeds"));
    MovePaths(root->Find("checks"));
    WriteDTypes(root->Find("feeds"));
    Fill(*root);
    for (const Feed& feed : gradients_.constants) AddEntry(Section(*root, "feeds"), feed.name.value, FeedValue(feed));
    Section(*root, "nodes").kind = Value::Kind::kMap;
    Section(*root, "outputs") = Outputs();
    const size_t written = lines ? graph_.nodes.size() : 0;
    FurtherEntries nodes;
    nodes.count = written + gradients_.nodes.size();
    const auto with_node = [&, written](size_t i, const auto& use) {
      return i < written ? use(graph_.nodes[i]) : use(gradients_.NodeAt(i - written, graph_));
    };
    nodes.line = [&](size_t i) { return with_node(i, LineOf); };
    nodes.entry = [&](size_t i) {
      return with_node(i, [](const Node& node) { return Value::Entry{node.name.value, {}, ShortNodeValue(node)}; });
    };
    return Head() + WriteYaml(*root, "nodes", nodes);
  }

 private:
  std::string WithoutLines(size_t begin, size_t end) const {
    const std::string_view text = graph_.source->text;
    return std::string(text.substr(0, begin)).append(text.substr(end));
  }

  std::string Head() const {
    std::string of, wrt;
    for (const GradientOf& each : request_.of) of += (of.empty() ? "" : ", ") + ReferenceText(each.tensor);
    for (const Reference& each : request_.wrt) wrt += (wrt.empty() ? "" : ", ") + ReferenceText(each);
    return fmt::format("# {} with the gradient of {} with respect to {}, made by opsrun grad.\n",
                       std::filesystem::path(graph_.source->path).filename().string(), of, wrt);
  }

  // Removes feeds that gradients replace, and redirects references to them.
  void Fill(Value& root) const {
    if (gradients_.filled.empty()) return;
    std::erase_if(root.Find("feeds")->entries,
                  [&](const Value::Entry& feed) { return gradients_.filled.contains(feed.key); });
    for (const char* section : {"nodes", "checks"}) {
      Value* const values = root.Find(section);
      if (values == nullptr) continue;
      for (Value::Entry& node : values->entries) FillReferences(node.value.Find("in"));
      for (Value& check : values->items) FillReferences(check.Find("from"));
    }
  }

  void FillReferences(Value* value) const {
    if (value == nullptr) return;
    const auto filled = gradients_.filled.find(value->text);
    if (filled != gradients_.filled.end()) value->text = gradients_.NameOf(gradients_.gradients[filled->second]);
    for (Value& item : value->items) FillReferences(&item);
    for (Value::Entry& entry : value->entries) FillReferences(&entry.value);
  }

  // The reference, or the gradient that replaces the feed it names.
  std::string Filled(const std::string& reference) const {
    const auto filled = gradients_.filled.find(reference);
    return filled == gradients_.filled.end() ? reference : gradients_.NameOf(gradients_.gradients[filled->second]);
  }

  static Value& Section(Value& root, const char* key) {
    if (root.Find(key) == nullptr) AddEntry(root, key, MapValue());
    return *root.Find(key);
  }

  // Quoted values would be read as strings, so the data type is written out.
  void WriteDTypes(Value* feeds) const {
    for (const Feed& feed : graph_.feeds) {
      Value* const value = feeds == nullptr ? nullptr : feeds->Find(feed.name.value);
      const bool string = feed.source == Feed::Source::kValue && feed.value.dtype() == DType::kString;
      if (string && value != nullptr && value->Find("dtype") == nullptr) {
        AddEntry(*value, "dtype", StringValue(DTypeName(DType::kString)));
      }
    }
  }

  // Rewrites paths of files that are read, in the entries or items of a section.
  void MovePaths(Value* section) const {
    if (section == nullptr) return;
    for (Value::Entry& entry : section->entries) MovePath(entry.value);
    for (Value& item : section->items) MovePath(item);
  }

  void MovePath(Value& map) const {
    for (const char* key : {"npy", "npz"}) {
      if (Value* const path = map.Find(key)) path->text = Moved(path->text);
    }
  }

  std::string Moved(const std::string& path) const {
    if (std::filesystem::path(path).is_absolute()) return path;
    const std::filesystem::path file = graph_.Resolve(path);
    const std::filesystem::path from_here = Canonical(file.parent_path()) / file.filename();
    return from_here.lexically_relative(Canonical(directory_)).string();
  }

  // Resolves symbolic links, since ".." through a link would lead elsewhere.
  static std::filesystem::path Canonical(const std::filesystem::path& directory) {
    std::error_code error;
    const std::filesystem::path here = directory.empty() ? "." : directory;
    const std::filesystem::path canonical = std::filesystem::weakly_canonical(here, error);
    return error ? std::filesystem::absolute(here).lexically_normal() : canonical;
  }

  static Value FeedValue(const Feed& feed) {
    Value map = MapValue();
    if (feed.source == Feed::Source::kFill) {
      AddEntry(map, "fill", FillValue(feed.value));
      AddEntry(map, "shape", SizesValue(feed.value.shape().data(), feed.value.shape().size()));
    } else {
      AddEntry(map, "value", ElementsValue(feed.value));
    }
    AddEntry(map, "dtype", StringValue(DTypeName(feed.value.dtype())));
    return map;
  }

  // A single input by position is written without brackets.
  static Value ShortNodeValue(const Node& node) {
    Value map = NodeValue(node);
    Value* const in = map.Find("in");
    const bool single = in != nullptr && in->items.size() == 1 && in->items[0].kind == Value::Kind::kScalar;
    if (single) *in = Value(in->items[0]);
    return map;
  }

  // A list if every name equals its reference; otherwise a map, whose names cannot contain dots.
  Value Outputs() const {
    const std::vector<std::string> names = GradientOutputNames(graph_, request_, gradients_);
    bool list = true;
    for (const GraphOutput& output : graph_.outputs) list = list && output.name.value == ReferenceText(output.from);
    for (size_t i = 0; i < request_.wrt.size(); ++i) {
      list = list && names[i] == gradients_.NameOf(gradients_.gradients[i]);
    }
    Value outputs = list ? ListValue() : MapValue();
    const auto add = [&](std::string name, const std::string& from) {
      if (list) return outputs.items.push_back(StringValue(from));
      std::replace(name.begin(), name.end(), '.', '_');
      AddEntry(outputs, name, StringValue(from));
    };
    for (const GraphOutput& output : graph_.outputs) add(output.name.value, Filled(ReferenceText(output.from)));
    for (size_t i = 0; i < request_.wrt.size(); ++i) {
      add(names[i], gradients_.NameOf(gradients_.gradients[i]));
    }
    return outputs;
  }

  const Graph& graph_;
  const GradientRequest& request_;
  const DerivedGradients& gradients_;
  const std::string& directory_;
};

}  // namespace

std::string GradientGraphText(const Graph& graph, const GradientRequest& request, const DerivedGradients& gradients,
                              const std::string& directory) {
  return TextMaker(graph, request, gradients, directory).Make();
}

}  // namespace opsrun::host

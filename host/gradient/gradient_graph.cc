// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "host/gradient/differentiate.h"
#include "host/graph/tensor_value.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

// Redirects references from replaced feeds to the gradients.
void Fill(const DerivedGradients& gradients, Graph& graph) {
  const auto fill = [&](Reference& reference) {
    const auto filled = gradients.filled.find(ReferenceText(reference));
    if (filled == gradients.filled.end()) return;
    reference = ParseReference(gradients.gradients[filled->second].name, reference.span);
  };
  for (Node& node : graph.nodes) {
    for (NodeInput& input : node.inputs) std::for_each(input.from.begin(), input.from.end(), fill);
  }
  for (GraphOutput& output : graph.outputs) fill(output.from);
  for (GraphCheck& check : graph.checks) fill(check.from);
}

std::unordered_set<std::string_view> NamesOfTensors(const Graph& graph, const DerivedGradients& gradients) {
  std::unordered_set<std::string_view> names;
  for (const Feed& feed : graph.feeds) {
    if (!gradients.filled.contains(feed.name.value)) names.insert(feed.name.value);
  }
  for (const Feed& feed : gradients.constants) names.insert(feed.name.value);
  for (const std::vector<Node>* const nodes : {&graph.nodes, &gradients.nodes}) {
    for (const Node& node : *nodes) names.insert(node.name.value);
  }
  return names;
}

}  // namespace

std::vector<std::string> GradientOutputNames(const Graph& graph, const GradientRequest& request,
                                             const DerivedGradients& gradients) {
  std::unordered_set<std::string> taken;
  for (const GraphOutput& output : graph.outputs) taken.insert(output.name.value);
  std::unordered_set<std::string_view> tensors;  // filled on first use, which is rare
  const auto is_tensor = [&](const std::string& name) {
    if (tensors.empty()) tensors = NamesOfTensors(graph, gradients);
    return tensors.contains(name);
  };
  std::vector<std::string> names;
  for (size_t i = 0; i < request.wrt.size(); ++i) {
    const std::string wish = GradientName(ReferenceText(request.wrt[i]));
    const auto is_free = [&](const std::string& name) {
      return !taken.contains(name) && (name == gradients.gradients[i].name || !is_tensor(name));
    };
    std::string name = wish;
    for (int number = 2; !is_free(name); ++number) name = fmt::format("{}_{}", wish, number);
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

Graph WithGradients(const Graph& graph, const GradientRequest& request, DerivedGradients&& gradients) {
  const std::vector<std::string> names = GradientOutputNames(graph, request, gradients);
  Graph all = graph;
  std::erase_if(all.feeds, [&](const Feed& feed) { return gradients.filled.contains(feed.name.value); });
  if (!gradients.filled.empty()) Fill(gradients, all);
  all.feeds.insert(all.feeds.end(), gradients.constants.begin(), gradients.constants.end());
  std::vector<Node> added = std::move(gradients.nodes);
  all.nodes.reserve(all.nodes.size() + added.size());
  std::move(added.begin(), added.end(), std::back_inserter(all.nodes));
  for (GraphOutput& output : all.outputs) {
    output.npy.reset();
    output.npz.reset();
    output.print = true;
  }
  for (size_t i = 0; i < gradients.gradients.size(); ++i) {
    GraphOutput& output = all.outputs.emplace_back();
    output.name.value = names[i];
    output.from = ParseReference(gradients.gradients[i].name);
  }
  return all;
}

namespace {

// Writes a graph with its gradients as the text of a graph file.
class TextMaker {
 public:
  TextMaker(const Graph& graph, const GradientRequest& request, const DerivedGradients& gradients,
            const std::string& directory)
      : graph_(graph), request_(request), gradients_(gradients), directory_(directory) {}

  std::string Make() {
    Diagnostics ignored;  // any errors were reported when the text was first read
    std::optional<Value> root = ReadYaml(*graph_.source, ignored);
    if (!root) return {};
    MovePaths(root->Find("feeds"));
    MovePaths(root->Find("checks"));
    WriteDTypes(root->Find("feeds"));
    Fill(*root);
    for (const Feed& feed : gradients_.constants) AddEntry(Section(*root, "feeds"), feed.name.value, FeedValue(feed));
    Section(*root, "nodes");
    Section(*root, "outputs") = Outputs();
    size_t next = 0;
    return Head() + WriteYaml(*root, "nodes", [&]() -> std::optional<Value::Entry> {
             if (next == gradients_.nodes.size()) return std::nullopt;
             const Node& node = gradients_.nodes[next++];
             return Value::Entry{node.name.value, {}, ShortNodeValue(node)};
           });
  }

 private:
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
    if (filled != gradients_.filled.end()) value->text = gradients_.gradients[filled->second].name;
    for (Value& item : value->items) FillReferences(&item);
    for (Value::Entry& entry : value->entries) FillReferences(&entry.value);
  }

  // The reference, or the gradient that replaces the feed it names.
  std::string Filled(const std::string& reference) const {
    const auto filled = gradients_.filled.find(reference);
    return filled == gradients_.filled.end() ? reference : gradients_.gradients[filled->second].name;
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
      list = list && names[i] == gradients_.gradients[i].name;
    }
    Value outputs = list ? ListValue() : MapValue();
    const auto add = [&](std::string name, const std::string& from) {
      if (list) return outputs.items.push_back(StringValue(from));
      std::replace(name.begin(), name.end(), '.', '_');
      AddEntry(outputs, name, StringValue(from));
    };
    for (const GraphOutput& output : graph_.outputs) add(output.name.value, Filled(ReferenceText(output.from)));
    for (size_t i = 0; i < request_.wrt.size(); ++i) {
      add(names[i], gradients_.gradients[i].name);
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

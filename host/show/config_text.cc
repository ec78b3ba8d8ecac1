// host/show/config_text.cc
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/graph/tensor_value.h"
#include "host/plan/match_node.h"
#include "host/show/graph_text.h"

namespace opsrun::host {
namespace {

void AddString(Value& map, const char* key, const std::string& text) {
  AddEntry(map, key, StringValue(text));
}

// Leaves out empty sections.
void AddSection(Value& map, const char* key, Value section) {
  if (!section.items.empty() || !section.entries.empty()) AddEntry(map, key, std::move(section));
}

class ConfigMaker {
 public:
  ConfigMaker(const Plan& plan, const Resolution& resolution)
      : plan_(plan), graph_(plan.graph()), resolution_(resolution), names_(ValueNames(resolution, graph_)) {}

  Value Make() const {
    Value config = MapValue();
    AddEntry(config, "opsrun", PlainValue("1"));
    if (!graph_.name.empty()) AddString(config, "name", graph_.name);
    AddSection(config, "requires", Requirements());
    AddSection(config, "feeds", Feeds());
    AddSection(config, "nodes", Nodes());
    AddSection(config, "outputs", Outputs());
    AddSection(config, "checks", Checks());
    return config;
  }

 private:
  Value Requirements() const {
    Value map = MapValue();
    for (const Requirement& each : graph_.requirements) AddEntry(map, each.plugin.value, StringValue(each.text.value));
    return map;
  }

  Value Feeds() const {
    Value map = MapValue();
    for (size_t i = 0; i < graph_.feeds.size(); ++i) {
      AddEntry(map, graph_.feeds[i].name.value, FeedValue(graph_.feeds[i], resolution_.feed_values[i]));
    }
    return map;
  }

  Value FeedValue(const Feed& feed, uint32_t value) const {
    const ResolvedValue& v = resolution_.values[value];
    Value map = SourceOfFeed(feed);
    AddString(map, "dtype", DTypeName(v.dtype));
    if (!v.shape.rank_known) return map;
    std::vector<int64_t> sizes;
    for (const ResolvedDim& dim : v.shape.dims) sizes.push_back(dim.size);
    AddEntry(map, "shape", SizesValue(sizes.data(), sizes.size()));
    return map;
  }

  Value Nodes() const {
    Value map = MapValue();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      AddEntry(map, graph_.nodes[i].name.value, NodeValue(graph_.nodes[i], resolution_.nodes[i]));
    }
    return map;
  }

  Value NodeValue(const Node& node, const ResolvedNode& resolved) const {
    Value map = MapValue();
    AddString(map, "op", node.op.value);
    AddSection(map, "in", Inputs(resolved));
    if (!resolved.op->def.attrs.empty()) AddEntry(map, "attrs", Attrs(resolved));
    AddSection(map, "after", After(node));
    if (node.label) AddString(map, "label", node.label->value);
    if (node.device) AddString(map, "device", node.device->value);
    const Plugin& plugin = *resolved.op->plugin;
    AddString(map, "x-plugin", plugin.version.empty() ? plugin.name : plugin.name + " " + plugin.version);
    AddString(map, "x-device", resolved.device);
    AddString(map, "x-kernel", spec::KernelText(resolved.kernel->def));
    AddSection(map, "x-outputs", OutputTypes(resolved));
    return map;
  }

  // {values: [a, b], x: a}: list arguments have lists. `text` returns the text for the i-th tensor.
  template <typename TextOf>
  static Value Arguments(const std::vector<spec::ArgRange>& ranges, const TextOf& text) {
    Value map = MapValue();
    for (const spec::ArgRange& range : ranges) {
      Value list = ListValue();
      for (uint32_t i = 0; i < range.count; ++i) list.items.push_back(StringValue(text(range.first + i)));
      AddEntry(map, range.name, range.list ? std::move(list) : std::move(list.items.front()));
    }
    return map;
  }

  Value Inputs(const ResolvedNode& node) const {
    return Arguments(node.signature->in_args, [&](uint32_t i) { return names_[node.inputs[i]]; });
  }

  Value OutputTypes(const ResolvedNode& node) const {
    return Arguments(node.signature->out_args,
                     [&](uint32_t i) { return ValueText(resolution_.values[node.first_output + i]); });
  }

  static Value Attrs(const ResolvedNode& node) {
    Value map = MapValue();
    for (size_t i = 0; i < node.op->def.attrs.size(); ++i) {
      std::optional<Value> value = AttrYaml(node.signature->attrs[i]);
      if (value) AddEntry(map, node.op->def.attrs[i].name, *std::move(value));
    }
    return map;
  }

  static Value After(const Node& node) {
    Value list = ListValue();
    for (const Located<std::string>& each : node.after) list.items.push_back(StringValue(each.value));
    return list;
  }

  // A name with a dot can only be written as a reference in a list of outputs.
  Value Outputs() const {
    const auto has_dot = [](const PlanOutput& each) { return each.output->name.value.find('.') != std::string::npos; };
    const bool list = std::any_of(plan_.outputs.begin(), plan_.outputs.end(), has_dot);
    Value outputs = list ? ListValue() : MapValue();
    for (const PlanOutput& each : plan_.outputs) {
      if (list) {
        outputs.items.push_back(StringValue(each.output->name.value));
      } else {
        AddEntry(outputs, each.output->name.value, OutputValue(each));
      }
    }
    return outputs;
  }

  Value OutputValue(const PlanOutput& each) const {
    const GraphOutput& output = *each.output;
    Value map = MapValue();
    AddString(map, "from", names_[each.value]);
    AddFile(map, output.npy, output.npz, output.key.value);
    AddEntry(map, "print", PlainValue(output.print ? "true" : "false"));
    return map;
  }

  static void AddFile(Value& map, const std::optional<Located<std::string>>& npy,
                      const std::optional<Located<std::string>>& npz, const std::string& key) {
    if (npy) AddString(map, "npy", npy->value);
    if (!npz) return;
    AddString(map, "npz", npz->value);
    AddString(map, "key", key);
  }

  Value Checks() const {
    Value list = ListValue();
    for (const PlanCheck& check : plan_.checks) list.items.push_back(CheckValue(check));
    return list;
  }

  Value CheckValue(const PlanCheck& each) const {
    const GraphCheck& check = *each.check;
    Value map = MapValue();
    AddString(map, "from", names_[each.value]);
    AddFile(map, check.npy, check.npz, check.key.value);
    if (!check.npy && !check.npz) AddEntry(map, "value", ElementsValue(each.expected));
    AddEntry(map, "rtol", PlainValue(fmt::format("{}", each.tolerance.rtol)));
    AddEntry(map, "atol", PlainValue(fmt::format("{}", each.tolerance.atol)));
    if (check.equal_nan) AddEntry(map, "equal_nan", PlainValue("true"));
    return map;
  }

  const Plan& plan_;
  const Graph& graph_;
  const Resolution& resolution_;
  const std::vector<std::string> names_;
};

class ShapesTable {
 public:
  ShapesTable(const Resolution& resolution, const Graph& graph)
      : resolution_(resolution), graph_(graph), names_(ValueNames(resolution, graph)) {}

  std::string Text() {
    for (size_t i = 0; i < graph_.feeds.size(); ++i) AddFeed(graph_.feeds[i], resolution_.feed_values[i]);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) AddNode(graph_.nodes[i], resolution_.nodes[i]);
    std::string text = table_.Text();
    for (size_t i = 0; i < resolution_.unknowns.size(); ++i) text += UnknownText(static_cast<uint32_t>(i + 1));
    return text;
  }

 private:
  void AddValue(uint32_t value, const std::string& from) {
    const ResolvedValue& v = resolution_.values[value];
    table_.Add({names_[value], DTypeName(v.dtype), ResolvedShapeText(v.shape), from});
  }

  void AddFeed(const Feed& feed, uint32_t value) {
    if (value != ResolvedNode::kNone) return AddValue(value, "feed");
    table_.Add({feed.name.value, "?", "?", "feed"});
  }

  void AddNode(const Node& node, const ResolvedNode& resolved) {
    const bool gives_nothing = resolved.op != nullptr && resolved.op->def.outputs.empty();
    if (gives_nothing) return table_.Add({node.name.value, "-", "-", node.op.value});
    if (!resolved.signature) return table_.Add({node.name.value, "?", "?", node.op.value});
    const auto outputs = static_cast<uint32_t>(resolved.signature->out_types.size());
    for (uint32_t i = 0; i < outputs; ++i) AddValue(resolved.first_output + i, node.op.value);
  }

  std::string UnknownText(uint32_t unknown) const {
    const SharedUnknown& first = resolution_.unknowns[unknown - 1];
    return fmt::format("{}: dimension {} of {}\n", UnknownName(unknown), first.dim, names_[first.value]);
  }

  const Resolution& resolution_;
  const Graph& graph_;
  const std::vector<std::string> names_;
  TextTable table_{{{"tensor", TextTable::Align::kLeft},
                    {"type", TextTable::Align::kLeft},
                    {"shape", TextTable::Align::kLeft},
                    {"from", TextTable::Align::kLeft}}};
};

}  // namespace

std::string ConfigText(const Plan& plan, const Resolution& resolution) {
  return WriteYaml(ConfigMaker(plan, resolution).Make());
}

Value SourceOfFeed(const Feed& feed) {
  Value map = MapValue();
  switch (feed.source) {
    case Feed::Source::kDeclared:
      break;
    case Feed::Source::kNpy:
      AddString(map, "npy", feed.path.value);
      break;
    case Feed::Source::kNpz:
      AddString(map, "npz", feed.path.value);
      AddString(map, "key", feed.key.value);
      break;
    case Feed::Source::kRandom:
      map.entries = feed.recipe;
      break;
    case Feed::Source::kFill:
      AddEntry(map, "fill", FillValue(feed.value));
      break;
    case Feed::Source::kValue:
      AddEntry(map, "value", ElementsValue(feed.value));
      break;
  }
  return map;
}

std::string ValueText(const ResolvedValue& value) {
  return DTypeName(value.dtype) + " " + ResolvedShapeText(value.shape);
}

std::string ShapesText(const Resolution& resolution, const Graph& graph) {
  return ShapesTable(resolution, graph).Text();
}

}  // namespace opsrun::host

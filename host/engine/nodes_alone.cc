// host/engine/nodes_alone.cc: each node of a plan as a graph of its own, to run it again if it fails.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "host/base/text.h"
#include "host/engine/loaded_graph.h"
#include "host/plan/build_plan.h"
#include "host/tensor/digest.h"

namespace opsrun::host {
namespace {

// What plugin.yaml says of a plugin.
Value PluginValue(const Plugin& plugin) {
  std::error_code error;
  const Result<std::string> digest = DigestOfFile(plugin.path);
  Value map = MapValue();
  AddEntry(map, "name", StringValue(plugin.name));
  AddEntry(map, "version", StringValue(plugin.version));
  AddEntry(map, "path", StringValue(std::filesystem::absolute(plugin.path, error).string()));
  AddEntry(map, "xxh3_128", StringValue(digest.ok() ? *digest : ""));
  return map;
}

// Plugins are read once.
class PluginTexts {
 public:
  // Of the plugins that have the op and the kernel.
  std::shared_ptr<const std::string> Of(const Step& step) {
    const std::pair key(step.op()->plugin, step.kernel()->plugin);
    std::shared_ptr<const std::string>& text = texts_[key];
    if (text != nullptr) return text;
    Value list = ListValue(), root = MapValue();
    list.items.push_back(PluginValue(*key.first));
    if (key.first != key.second) list.items.push_back(PluginValue(*key.second));
    AddEntry(root, "plugins", std::move(list));
    return text = std::make_shared<const std::string>(WriteYaml(root));
  }

 private:
  std::map<std::pair<const Plugin*, const Plugin*>, std::shared_ptr<const std::string>> texts_;
};

class NodeAlone {
 public:
  NodeAlone(const Plan& plan, const Step& step) : plan_(plan), step_(step), node_(plan.NodeOf(step)) {}

  ReproNode Make(std::shared_ptr<const std::string> plugin) {
    made_.plugin = std::move(plugin);
    made_.files.resize(step_.inputs.size());
    Node alone;
    alone.op.value = fmt::format("{}.{}", step_.op()->plugin->name, step_.op()->def.name);
    alone.attrs = node_.attrs;
    alone.label = node_.label;
    alone.device = Located<std::string>{plan_.devices[step_.device].name, {}};
    for (const spec::ArgRange& arg : step_.signature().in_args) alone.inputs.push_back(InputFor(arg));
    Value root = MapValue(), nodes = MapValue();
    AddEntry(nodes, node_.name.value, NodeValue(alone));
    AddEntry(root, "opsrun", PlainValue("1"));
    if (!feeds_.entries.empty()) AddEntry(root, "feeds", std::move(feeds_));
    AddEntry(root, "nodes", std::move(nodes));
    AddEntry(root, "outputs", Outputs());
    made_.graph = WriteYaml(root);
    return std::move(made_);
  }

 private:
  NodeInput InputFor(const spec::ArgRange& arg) {
    NodeInput input;
    input.arg.value = arg.name;
    input.list = arg.list;
    for (uint32_t i = 0; i < arg.count; ++i) {
      Reference& from = input.from.emplace_back();
      from.name = arg.list ? fmt::format("{}_{}", arg.name, i) : arg.name;
      while (from.name == node_.name.value || !names_.insert(from.name).second) from.name += "_";
      AddFeed(from.name, arg.first + i);
    }
    return input;
  }

  void AddFeed(const std::string& name, uint32_t input) {
    const PlanValue& value = plan_.values[step_.inputs[input]];
    Value feed = MapValue();
    if (HasValues(value.dtype)) {
      made_.files[input] = name + ".npy";
      AddEntry(feed, "npy", StringValue(made_.files[input]));
    } else if (made_.gap.empty()) {
      made_.gap = fmt::format("input '{}' is a {}, which exists only during a run", name, DTypeName(value.dtype));
    }
    AddEntry(feed, "dtype", StringValue(DTypeName(value.dtype)));
    AddEntry(feeds_, name, std::move(feed));
  }

  // Those that are read, as kernels may ask; all if there are none.
  Value Outputs() const {
    Value read = ListValue(), all = ListValue();
    for (size_t i = 0; i < step_.outputs.size(); ++i) {
      const PlanValue& value = plan_.values[step_.outputs[i]];
      if (!HasValues(value.dtype)) continue;
      Value name = StringValue(OutputName(node_.name.value, step_.signature().out_args, i));
      if (value.readers > 0 || value.kept) read.items.push_back(name);
      all.items.push_back(std::move(name));
    }
    return read.items.empty() ? all : read;
  }

  const Plan& plan_;
  const Step& step_;
  const Node& node_;
  ReproNode made_;
  Value feeds_ = MapValue();
  std::set<std::string> names_;
};

}  // namespace

ReproNodes NodesAlone(const Plan& plan) {
  ReproNodes nodes(plan.steps.size());
  PluginTexts plugins;
  for (size_t s = 0; s < nodes.size(); ++s) {
    const Step& step = plan.steps[s];
    if (step.copy == Step::Copy::kNone && step.more->part == nullptr)
      nodes[s] = NodeAlone(plan, step).Make(plugins.Of(step));
  }
  return nodes;
}

}  // namespace opsrun::host

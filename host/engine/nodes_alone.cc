// host/engine/nodes_alone.cc: each node of a plan as a graph of its own, to run it again if it fails. Isolated nodes
// that share a resource are one graph.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "host/base/text.h"
#include "host/engine/loaded_graph.h"
#include "host/graph/tensor_value.h"
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
  // Of the plugins that have the ops and the kernels.
  std::shared_ptr<const std::string> Of(std::span<const Step> nodes) {
    std::vector<const Plugin*> plugins;
    for (const Step& node : nodes) {
      for (const Plugin* const each : {node.op()->plugin, node.kernel()->plugin}) {
        if (std::ranges::find(plugins, each) == plugins.end()) plugins.push_back(each);
      }
    }
    std::shared_ptr<const std::string>& text = texts_[plugins];
    if (text != nullptr) return text;
    Value list = ListValue(), root = MapValue();
    for (const Plugin* const each : plugins) list.items.push_back(PluginValue(*each));
    AddEntry(root, "plugins", std::move(list));
    return text = std::make_shared<const std::string>(WriteYaml(root));
  }

 private:
  std::map<std::vector<const Plugin*>, std::shared_ptr<const std::string>> texts_;
};

// A step: its node, or the isolated nodes that it stands for.
class NodeAlone {
 public:
  NodeAlone(const Plan& plan, const Step& step, std::span<const Step> nodes)
      : plan_(plan), step_(step), nodes_(nodes), child_(step.kernel()->plugin->child.get()) {
    for (const Step& node : nodes_) {
      const std::string& name = plan_.NodeOf(node).name.value;
      names_.insert(name);
      for (size_t i = 0; i < node.outputs.size(); ++i)
        known_[node.outputs[i]] = OutputName(name, node.signature().out_args, i);
    }
  }

  ReproNode Make(std::shared_ptr<const std::string> plugin) {
    made_.plugin = std::move(plugin);
    made_.files.resize(step_.inputs.size());
    if (child_ != nullptr) made_.words = LimitWords(child_->options());
    Value root = MapValue(), nodes = MapValue();
    for (const Step& node : nodes_) AddEntry(nodes, plan_.NodeOf(node).name.value, NodeValue(Alone(node)));
    AddEntry(root, "opsrun", PlainValue("1"));
    if (!feeds_.entries.empty()) AddEntry(root, "feeds", std::move(feeds_));
    AddEntry(root, "nodes", std::move(nodes));
    AddEntry(root, "outputs", Outputs());
    made_.graph = WriteYaml(root);
    return std::move(made_);
  }

 private:
  // Those that make the node fail; the others are in the graph.
  static std::string LimitWords(const IsolateOptions& options) {
    std::string words;
    if (options.node_timeout.count() > 0) words += fmt::format(" --node-timeout {}ms", options.node_timeout.count());
    if (options.memory > 0) words += fmt::format(" --child-memory {}", options.memory);
    return words;
  }

  Node Alone(const Step& step) {
    const Node& node = plan_.NodeOf(step);
    Node alone;
    alone.op.value = fmt::format("{}.{}", step.op()->plugin->name, step.op()->def.name);
    alone.attrs = node.attrs;
    alone.label = node.label;
    alone.device = Located<std::string>{plan_.devices[step.device].name, {}};
    alone.isolate = child_ != nullptr;
    alone.sandbox = child_ != nullptr && child_->options().sandbox;
    std::ranges::copy_if(node.after, std::back_inserter(alone.after), [&](const Located<std::string>& after) {
      return std::ranges::any_of(nodes_, [&](const Step& each) { return plan_.NodeName(each) == after.value; });
    });
    for (const spec::ArgRange& arg : step.signature().in_args) {
      NodeInput& input = alone.inputs.emplace_back();
      input.arg.value = arg.name;
      input.list = arg.list;
      for (uint32_t i = 0; i < arg.count; ++i) input.from.push_back(ParseReference(FeedOrOutput(step, arg, i)));
    }
    return alone;
  }

  std::string FeedOrOutput(const Step& step, const spec::ArgRange& arg, uint32_t i) {
    const uint32_t value = step.inputs[arg.first + i];
    if (const auto known = known_.find(value); known != known_.end()) return known->second;
    std::string name = arg.list ? fmt::format("{}_{}", arg.name, i) : arg.name;
    while (!names_.insert(name).second) name += "_";
    if (child_ == nullptr) {
      AddFeed(name, arg.first + i);
      return name;
    }
    known_[value] = name;
    const auto input = std::ranges::find(step_.inputs, value);
    if (input != step_.inputs.end()) {
      AddFeed(name, static_cast<uint32_t>(input - step_.inputs.begin()));
    } else {  // its process has it as a part of the graph
      AddEntry(feeds_, name, WholeTensorValue(plan_.ConstantOf(plan_.values[value])));
    }
    return name;
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
    for (const Step& node : nodes_) {
      for (const uint32_t output : node.outputs) {
        const PlanValue& value = plan_.values[output];
        if (!HasValues(value.dtype)) continue;
        Value name = StringValue(known_.at(output));
        if (value.readers > 0 || value.kept) read.items.push_back(name);
        all.items.push_back(std::move(name));
      }
    }
    return read.items.empty() ? all : read;
  }

  const Plan& plan_;
  const Step& step_;
  const std::span<const Step> nodes_;
  const Child* const child_;  // that runs them; null: none
  ReproNode made_;
  Value feeds_ = MapValue();
  std::set<std::string> names_;
  std::map<uint32_t, std::string>
      known_;  // by value: outputs of the nodes; feeds of isolated nodes, which have each once
};

}  // namespace

ReproNodes NodesAlone(const Plan& plan) {
  ReproNodes nodes(plan.steps.size());
  PluginTexts plugins;
  for (size_t s = 0; s < nodes.size(); ++s) {
    const Step& step = plan.steps[s];
    if (step.copy != Step::Copy::kNone) continue;
    const IsolatedPart* const part = step.more->part;
    const std::span<const Step> alone = part != nullptr ? std::span<const Step>(part->members) : std::span(&step, 1);
    nodes[s] = NodeAlone(plan, step, alone).Make(plugins.Of(alone));
  }
  return nodes;
}

}  // namespace opsrun::host

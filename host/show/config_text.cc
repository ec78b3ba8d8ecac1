// host/show/config_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/config_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/show/plan_facts.h"
#include "host/show/shapes_text.h"
#include "host/show/yaml_text.h"

namespace opsrun::host {
namespace {

class ConfigWriter {
 public:
  ConfigWriter(const Plan& plan, const Resolution& resolution)
      : plan_(plan), graph_(plan.graph()), resolution_(resolution), names_(Names(resolution, graph_)) {}

  std::string Text() {
    text_ = "opsrun: 1\n";
    if (!graph_.name.empty()) text_ += fmt::format("name: {}\n", YamlString(graph_.name));
    WriteRequirements();
    Section("feeds", graph_.feeds.size());
    for (size_t i = 0; i < graph_.feeds.size(); ++i) WriteFeed(graph_.feeds[i], resolution_.feed_values[i]);
    Section("nodes", graph_.nodes.size());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) WriteNode(graph_.nodes[i], resolution_.nodes[i]);
    WriteOutputs();
    Section("checks", plan_.checks.size());
    for (const PlanCheck& check : plan_.checks) WriteCheck(check);
    return std::move(text_);
  }

 private:
  static std::vector<std::string> Names(const Resolution& resolution, const Graph& graph) {
    std::vector<std::string> names = ValueNames(resolution, graph);
    std::transform(names.begin(), names.end(), names.begin(), YamlName);
    return names;
  }

  void Section(const char* name, size_t entries) {
    if (entries > 0) text_ += fmt::format("{}:\n", name);
  }
  void Line(const char* key, const std::string& value) { text_ += fmt::format("    {}: {}\n", key, value); }

  void WriteRequirements() {
    Section("requires", graph_.requirements.size());
    for (const Requirement& each : graph_.requirements) {
      text_ += fmt::format("  {}: {}\n", each.plugin.value, YamlString(each.text.value));
    }
  }

  void WriteFeed(const Feed& feed, uint32_t value) {
    const ResolvedValue& v = resolution_.values[value];
    const std::string shape = v.shape.rank_known ? fmt::format(", shape: {}", SizesText(v.shape)) : "";
    const std::string source = SourceText(feed);
    text_ += fmt::format("  {}: {{{}{}dtype: {}{}}}\n", YamlName(feed.name.value), source, source.empty() ? "" : ", ",
                         DTypeName(v.dtype), shape);
  }

  static std::string SizesText(const ResolvedShape& shape) {
    std::vector<int64_t> sizes;
    for (const ResolvedDim& dim : shape.dims) sizes.push_back(dim.size);
    return fmt::format("[{}]", fmt::join(sizes, ", "));
  }

  static std::string SourceText(const Feed& feed) {
    switch (feed.source) {
      case Feed::Source::kDeclared:
        return "";
      case Feed::Source::kNpy:
        return "npy: " + YamlString(feed.path.value);
      case Feed::Source::kNpz:
        return fmt::format("npz: {}, key: {}", YamlString(feed.path.value), YamlString(feed.key.value));
      case Feed::Source::kRandom:
        return feed.recipe;
      case Feed::Source::kFill:
        return "fill: " + FirstElement(feed.value);
      default:
        return "value: " + YamlTensor(feed.value);
    }
  }

  // Of a tensor without elements: any that it could have.
  static std::string FirstElement(const Tensor& tensor) {
    if (tensor.num_elements() > 0) return YamlElement(tensor, 0);
    const Result<Tensor> zero = Tensor::Create(tensor.dtype(), {});
    return zero.ok() ? YamlElement(*zero, 0) : "0";
  }

  void WriteNode(const Node& node, const ResolvedNode& resolved) {
    text_ += fmt::format("  {}:\n", YamlName(node.name.value));
    Line("op", node.op.value);
    if (!resolved.signature->in_args.empty()) Line("in", InputsText(resolved));
    if (!resolved.op->def.attrs.empty()) Line("attrs", AttrsText(resolved));
    if (!node.after.empty()) Line("after", AfterText(node));
    if (node.label) Line("label", YamlString(node.label->value));
    const Plugin& plugin = *resolved.op->plugin;
    Line("x-plugin", YamlString(plugin.version.empty() ? plugin.name : plugin.name + " " + plugin.version));
    Line("x-device", DeviceText(resolved.kernel->def));
    Line("x-kernel", YamlString(spec::KernelText(resolved.kernel->def)));
    if (!resolved.signature->out_args.empty()) Line("x-outputs", OutputsText(resolved));
  }

  static void Append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

  // "values: [a, b]" of a list argument, "x: a" of another.
  static std::string Entry(const spec::ArgRange& range, const std::string& items) {
    return range.list ? fmt::format("{}: [{}]", range.name, items) : fmt::format("{}: {}", range.name, items);
  }

  std::string InputsText(const ResolvedNode& node) const {
    std::string inputs;
    for (const spec::ArgRange& range : node.signature->in_args) {
      std::string from;
      for (uint32_t i = 0; i < range.count; ++i) Append(from, names_[node.inputs[range.first + i]]);
      Append(inputs, Entry(range, from));
    }
    return "{" + inputs + "}";
  }

  static std::string AttrsText(const ResolvedNode& node) {
    std::string attrs;
    for (size_t i = 0; i < node.op->def.attrs.size(); ++i) {
      const std::optional<std::string> value = YamlAttr(node.signature->attrs[i]);
      if (value) Append(attrs, fmt::format("{}: {}", node.op->def.attrs[i].name, *value));
    }
    return "{" + attrs + "}";
  }

  static std::string AfterText(const Node& node) {
    std::string after;
    for (const Located<std::string>& each : node.after) Append(after, YamlName(each.value));
    return "[" + after + "]";
  }

  std::string OutputsText(const ResolvedNode& node) const {
    std::string outputs;
    for (const spec::ArgRange& range : node.signature->out_args) {
      std::string types;
      for (uint32_t i = 0; i < range.count; ++i) {
        Append(types, YamlString(ValueText(resolution_.values[node.first_output + range.first + i])));
      }
      Append(outputs, Entry(range, types));
    }
    return "{" + outputs + "}";
  }

  static std::string FileText(const std::optional<Located<std::string>>& npy,
                              const std::optional<Located<std::string>>& npz, const std::string& key) {
    if (npy) return ", npy: " + YamlString(npy->value);
    return npz ? fmt::format(", npz: {}, key: {}", YamlString(npz->value), YamlString(key)) : "";
  }

  // Only the names of a list, which are references, hold dots.
  void WriteOutputs() {
    const auto has_dot = [](const PlanOutput& each) { return each.output->name.value.find('.') != std::string::npos; };
    const bool list = std::any_of(plan_.outputs.begin(), plan_.outputs.end(), has_dot);
    Section("outputs", plan_.outputs.size());
    for (const PlanOutput& each : plan_.outputs) {
      if (list) {
        text_ += fmt::format("  - {}\n", YamlName(each.output->name.value));
      } else {
        WriteOutput(each);
      }
    }
  }

  void WriteOutput(const PlanOutput& each) {
    const GraphOutput& output = *each.output;
    text_ += fmt::format("  {}: {{from: {}{}, print: {}}}\n", YamlName(output.name.value), names_[each.value],
                         FileText(output.npy, output.npz, output.key.value), output.print);
  }

  void WriteCheck(const PlanCheck& each) {
    const GraphCheck& check = *each.check;
    const std::string file = FileText(check.npy, check.npz, check.key.value);
    text_ += fmt::format("  - {{from: {}{}, rtol: {}, atol: {}{}}}\n", names_[each.value],
                         file.empty() ? ", value: " + YamlTensor(each.expected) : file, each.tolerance.rtol,
                         each.tolerance.atol, check.equal_nan ? ", equal_nan: true" : "");
  }

  const Plan& plan_;
  const Graph& graph_;
  const Resolution& resolution_;
  const std::vector<std::string> names_;
  std::string text_;
};

}  // namespace

std::string ConfigText(const Plan& plan, const Resolution& resolution) {
  return ConfigWriter(plan, resolution).Text();
}

}  // namespace opsrun::host

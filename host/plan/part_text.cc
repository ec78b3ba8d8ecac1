// SPDX-License-Identifier: Apache-2.0
#include "host/plan/part_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "host/graph/tensor_value.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostBytesInText = 4096;  // of a constant

class PartWriter {
 public:
  PartWriter(const Planning& p, std::span<const PartMember> members, bool constants)
      : p_(p), members_(members), constants_(constants) {}

  // outputs: values of the members. *inputs: the values for the feeds.
  PartText Write(const std::vector<uint32_t>& outputs, std::vector<uint32_t>* inputs) {
    for (const PartMember& member : members_) nodes_.insert(member.node->name.value);
    Value nodes = MapValue();
    for (const PartMember& member : members_) {
      const size_t count = member.signature->out_types.size();
      for (size_t i = 0; i < count; ++i) {
        names_[member.first_output + static_cast<uint32_t>(i)] =
            OutputName(member.node->name.value, member.signature->out_args, i);
      }
      AddEntry(nodes, member.node->name.value, NodeValue(Rewritten(member)));
      AddPlugin(member);
      text_.nodes.push_back({member.node->name.value, p_.in.graph->source->path, member.node->op.span});
    }
    Value root = MapValue(), list = ListValue();
    for (const uint32_t output : outputs) list.items.push_back(StringValue(names_.at(output)));
    AddEntry(root, "opsrun", PlainValue("1"));
    if (!feeds_.entries.empty()) AddEntry(root, "feeds", std::move(feeds_));
    AddEntry(root, "nodes", std::move(nodes));
    if (!list.items.empty()) AddEntry(root, "outputs", std::move(list));
    text_.yaml = WriteYaml(root);
    FindLines();
    *inputs = std::move(inputs_);
    return std::move(text_);
  }

 private:
  Node Rewritten(const PartMember& member) {
    Node node;
    node.op.value = fmt::format("{}.{}", member.op->plugin->name, member.op->def.name);
    for (const NodeAttr& attr : member.node->attrs) node.attrs.push_back({attr.name, Typed(attr, member)});
    node.label = member.node->label;
    for (const Located<std::string>& after : member.node->after) {
      if (nodes_.contains(after.value)) node.after.push_back(after);
    }
    for (const spec::ArgRange& arg : member.signature->in_args) {
      NodeInput& input = node.inputs.emplace_back();
      input.arg.value = arg.name;
      input.list = arg.list;
      for (uint32_t i = 0; i < arg.count; ++i)
        input.from.push_back(ParseReference(NameOf(member.inputs[arg.first + i])));
    }
    return node;
  }

  // A tensor says its data type: text that does not need quotes loses them, and would be read as numbers.
  static Value Typed(const NodeAttr& attr, const PartMember& member) {
    const spec::AttrDef* const def = member.op->def.FindAttr(attr.name.value);
    if (def == nullptr || def->type.kind != OPSRUN_ATTR_TENSOR) return attr.value;
    const std::vector<spec::TensorValue>& tensors = member.signature->attrs[member.op->def.IndexOf(*def)].tensors;
    const auto typed = [](const Value& value, DType dtype) {
      if (value.kind == Value::Kind::kMap) return value;
      Value map = MapValue();
      AddEntry(map, "value", value);
      AddEntry(map, "dtype", StringValue(DTypeName(dtype)));
      return map;
    };
    if (!def->type.list) return typed(attr.value, tensors.at(0).dtype);
    Value list = attr.value;
    for (size_t i = 0; i < list.items.size() && i < tensors.size(); ++i)
      list.items[i] = typed(list.items[i], tensors[i].dtype);
    return list;
  }

  const std::string& NameOf(uint32_t value) {
    const auto [known, is_new] = names_.try_emplace(value);
    if (!is_new) return known->second;
    std::string& name = known->second = fmt::format("in-{}", names_.size());
    while (nodes_.contains(name)) name += "-";
    const PlanValue& tensor = p_.plan.values[value];
    const Tensor* const constant = constants_ ? p_.ConstantOf(value) : nullptr;
    if (constant != nullptr && constant->dtype() != DType::kString && constant->num_bytes() <= kMostBytesInText) {
      AddEntry(feeds_, name, WholeTensorValue(*constant));
      return name;
    }
    Value feed = MapValue();
    // Files have no feeds of handles: the process is told their type.
    AddEntry(feed, "dtype", StringValue(DTypeName(HasHandles(tensor.dtype) ? DType::kInt64 : tensor.dtype)));
    TensorFacts& facts = text_.feeds.emplace_back();
    facts.dtype = tensor.dtype;
    if (tensor.rank_known && IsWhole(tensor.shape())) {
      facts.shape = tensor.shape();
    } else if (tensor.rank_known) {
      Value sizes = ListValue();
      for (const int64_t size : tensor.shape()) sizes.items.push_back(PlainValue(std::to_string(size)));
      AddEntry(feed, "shape", std::move(sizes));
    }
    AddEntry(feeds_, name, std::move(feed));
    inputs_.push_back(value);
    if (constant != nullptr) facts.shape = constant->shape();
    return name;
  }

  void AddPlugin(const PartMember& member) {
    const std::string& path = member.op->plugin->path;
    const bool is_known = std::ranges::find(text_.plugins, path) != text_.plugins.end();
    if (member.op->plugin->child == nullptr && !is_known) text_.plugins.push_back(path);
  }

  // Each entry of the nodes begins a line.
  void FindLines() {
    std::string_view left = text_.yaml;
    bool in_nodes = false;
    for (uint32_t line = 1; !left.empty(); ++line) {
      const std::string_view here = left.substr(0, left.find('\n'));
      left.remove_prefix(std::min(here.size() + 1, left.size()));
      if (!here.starts_with(' ')) in_nodes = here == "nodes:";
      if (in_nodes && here.size() > 2 && here.starts_with("  ") && here[2] != ' ') text_.lines.push_back(line);
    }
  }

  const Planning& p_;
  const std::span<const PartMember> members_;
  const bool constants_;
  std::set<std::string> nodes_;
  std::unordered_map<uint32_t, std::string> names_;  // by value
  std::vector<uint32_t> inputs_;
  Value feeds_ = MapValue();
  PartText text_;
};

}  // namespace

PartText WritePart(const Planning& p, std::span<const PartMember> members, const std::vector<uint32_t>& outputs,
                   bool constants, std::vector<uint32_t>* inputs) {
  return PartWriter(p, members, constants).Write(outputs, inputs);
}

void ReportEnd(Planning& p, const Node& node, const PartFailure& failure) {
  Diagnostic& error = p.Error("R409", failure.status.message(), node.op.span);
  error.help = failure.end->help;
  error.notes = failure.end->notes;
  error.backtrace = failure.end->backtrace;
}

}  // namespace opsrun::host

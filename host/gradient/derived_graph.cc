// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/derived_graph.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/gradient/differentiate.h"
#include "host/gradient/gradient_text.h"
#include "host/graph/tensor_value.h"
#include "host/plan/explain/explain.h"
#include "host/spec/op_def.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

// AttrValueText truncates tensors, so their bytes are added.
std::string KeyOf(const spec::AttrValue& attr) {
  std::string key = spec::AttrValueText(attr);
  for (const spec::TensorValue& tensor : attr.tensors) {
    key += tensor.bytes;
    for (const std::string& text : tensor.strings) key += fmt::format("{}:{}", text.size(), text);
  }
  return key;
}

// Nodes with equal keys compute the same. Names contain no line breaks.
std::string KeyOf(const RegisteredOp& op, const std::string& label, const std::vector<std::string>& inputs,
                  const std::vector<spec::AttrValue>& attrs) {
  std::string key = fmt::format("{}\n{}\n{}", static_cast<const void*>(&op), label, inputs.size());
  for (const std::string& input : inputs) key += "\n" + input;
  for (const spec::AttrValue& attr : attrs) key += "\n" + KeyOf(attr);
  return key;
}

std::string KeyOf(const Feed& constant) {
  const Tensor& value = constant.value;
  const std::string head = DTypeName(value.dtype()) + ShapeText(value.shape());
  if (constant.source == Feed::Source::kFill) return head + "fill" + FillValue(value).text;
  if (value.dtype() != DType::kString) {
    return head + std::string(static_cast<const char*>(value.data()), value.num_bytes());
  }
  std::string key = head;
  for (int64_t i = 0; i < value.num_elements(); ++i)
    key += fmt::format("{}:{}", value.string(i).size(), value.string(i));
  return key;
}

// Inputs by position; by name if one of several arguments is a list.
std::vector<NodeInput> InputsOf(const NodeRequest& request) {
  const std::vector<spec::ArgDef>& args = request.op->def.inputs;
  const bool by_name = std::any_of(args.begin(), args.end(), [](const spec::ArgDef& arg) { return arg.is_list(); });
  std::vector<NodeInput> inputs;
  for (size_t i = 0; i < args.size(); ++i) {
    NodeInput& input = inputs.emplace_back();
    input.span = request.as_written.inputs_span;
    if (by_name) input.arg = {args[i].name, input.span};
    input.list = args[i].is_list();
    for (const DerivedTensor& tensor : request.inputs[i]) input.from.push_back(ParseReference(tensor.name, input.span));
  }
  return inputs;
}

}  // namespace

DerivedTensor DerivedNode::Output(size_t i) const {
  return {OutputName(name, signature.out_args, i), signature.out_types[i]};
}

DerivedGraph::DerivedGraph(const Graph& original, const Resolution& resolution,
                           const std::map<std::string, size_t>& filled)
    : original_(original), resolution_(resolution), names_(ValueNames(resolution, original)) {
  for (const Feed& feed : original.feeds) {
    if (!filled.contains(feed.name.value)) taken_.insert(feed.name.value);
  }
  for (const Node& node : original.nodes) taken_.insert(node.name.value);
  for (size_t i = 0; i < original.nodes.size(); ++i) AddExisting(i);
  for (const Node& node : original.nodes) {
    if (node.device) devices_.emplace(node.name.value, node.device->value);
  }
}

// Lets new nodes reuse what the graph already computes.
void DerivedGraph::AddExisting(size_t node) {
  const Node& written = original_.nodes[node];
  const ResolvedNode& resolved = resolution_.nodes[node];
  if (resolved.op->def.stateful() || written.stop_gradient) return;
  std::vector<std::string> inputs;
  for (const uint32_t value : resolved.inputs) inputs.push_back(names_[value]);
  const std::string label = written.label ? written.label->value : "";
  by_key_.emplace(KeyOf(*resolved.op, label, inputs, resolved.signature->attrs),
                  std::make_unique<DerivedNode>(DerivedNode{resolved.op, written.name.value, *resolved.signature}));
}

std::string DerivedGraph::NewName(const std::string& wish) {
  std::string name = wish;
  for (int number = 2; !taken_.insert(name).second; ++number) name = fmt::format("{}_{}", wish, number);
  return name;
}

const DerivedNode* DerivedGraph::Add(NodeRequest request) {
  std::vector<std::string> inputs;
  for (const std::vector<DerivedTensor>& argument : request.inputs) {
    for (const DerivedTensor& tensor : argument) inputs.push_back(tensor.name);
  }
  Node& written = request.as_written;
  const std::string label = written.label ? written.label->value : "";
  std::unique_ptr<DerivedNode>& node = request.op->def.stateful()
                                           ? unshared_.emplace_back()
                                           : by_key_[KeyOf(*request.op, label, inputs, request.signature.attrs)];
  if (node != nullptr) return node.get();
  if (nodes_.size() == kMaxNodes) return nullptr;
  node = std::make_unique<DerivedNode>(DerivedNode{request.op, NewName(request.name), std::move(request.signature)});
  written.name.value = node->name;
  written.inputs = InputsOf(request);
  written.each.clear();
  if (!request.gradient_of.empty()) {
    written.gradient_of = {request.gradient_of, written.name.span};
    if (const auto device = devices_.find(request.gradient_of); device != devices_.end())
      written.device = {device->second, written.name.span};
  }
  nodes_.push_back(std::move(written));
  return node.get();
}

DerivedTensor DerivedGraph::AddConstant(const std::string& name, Feed constant) {
  const auto [found, is_new] = constants_by_key_.try_emplace(name + "\n" + KeyOf(constant));
  if (is_new) {
    constant.name.value = NewName(name);
    found->second = {constant.name.value, constant.value.dtype()};
    constants_.push_back(std::move(constant));
  }
  return found->second;
}

// The tensor of a planned graph that a reference names.

std::optional<uint32_t> FindValue(const Reference& reference, const Graph& graph, const Resolution& resolution,
                                  Diagnostics& diagnostics) {
  const std::vector<std::string> names = ValueNames(resolution, graph);
  const std::string text = ReferenceText(reference);
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<uint32_t>(found - names.begin());
  // "z.zeroed" names the value "z" if node z has only one output.
  const auto short_name = std::find(names.begin(), names.end(), reference.name);
  for (size_t i = 0; i < graph.nodes.size() && short_name != names.end(); ++i) {
    const ResolvedNode& node = resolution.nodes[i];
    if (graph.nodes[i].name.value != reference.name || node.first_output == ResolvedNode::kNone) continue;
    if (node.signature->out_args[0].name == reference.output && reference.index < 0) return node.first_output;
  }
  // The name of a graph output, such as "loss".
  const auto output = std::find_if(graph.outputs.begin(), graph.outputs.end(),
                                   [&](const GraphOutput& each) { return each.name.value == text; });
  const bool refers_to_other = output != graph.outputs.end() && ReferenceText(output->from) != text;
  if (refers_to_other) return FindValue(output->from, graph, resolution, diagnostics);
  Diagnostic& error = diagnostics.Error("G204", fmt::format("the graph has no tensor '{}'", text));
  error.file = graph.source->path;
  // A name such as "parts" is ambiguous if the node has several tensors.
  const auto part = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return name.starts_with(text) && name.size() > text.size() && name[text.size()] == '.';
  });
  if (part == names.end()) {
    SuggestName(error, text, names, "tensors");
  } else {
    error.help.push_back(fmt::format("'{}' has several tensors: choose one, such as '{}'", text, *part));
  }
  return std::nullopt;
}

}  // namespace opsrun::host

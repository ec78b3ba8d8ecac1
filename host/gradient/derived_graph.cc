// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/derived_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "host/gradient/gradient_text.h"
#include "host/graph/tensor_value.h"
#include "host/spec/op_def.h"

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

uint32_t HashOfName(const std::string& name) {
  return static_cast<uint32_t>(std::hash<std::string>()(name));
}

// Inputs by position; by name if one of several arguments is a list.
std::vector<NodeInput> WriteInputs(const DerivedNodes& all, const DerivedNode& node, const Span& span) {
  const std::vector<spec::ArgDef>& args = node.op->def.inputs;
  const bool by_name = std::any_of(args.begin(), args.end(), [](const spec::ArgDef& arg) { return arg.is_list(); });
  std::vector<NodeInput> inputs(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    NodeInput& input = inputs[i];
    input.span = span;
    if (by_name) input.arg = {args[i].name, span};
    input.list = args[i].is_list();
    const spec::ArgRange& range = node.signature->in_args[i];
    input.from.reserve(range.count);
    for (uint32_t k = range.first; k < range.first + range.count; ++k) {
      input.from.push_back(ParseReference(all.NameOf(all.InputsOf(node)[k]), span));
    }
  }
  return inputs;
}

}  // namespace

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

std::string DerivedNodes::NameOf(const DerivedTensor& tensor) const {
  if (tensor.from == DerivedTensor::From::kValue) return value_names[tensor.index];
  if (tensor.from == DerivedTensor::From::kConstant) return constants[tensor.index].name.value;
  const DerivedNode& node = nodes[tensor.index];
  return OutputName(node.name, node.signature->out_args, tensor.output);
}

Node DerivedNodes::NodeAt(size_t index, const Graph& original) const {
  const DerivedNode& derived = nodes[index];
  const Node& written = *derived.written;
  Node node;
  node.name.span = written.name.span;
  node.op = written.op;
  node.inputs_span = written.inputs_span;
  node.attrs = written.attrs;
  node.label = written.label;
  node.span = written.span;
  if (derived.place) MovePlaces(*derived.place, node);
  node.name.value = derived.name;
  node.inputs = WriteInputs(*this, derived, node.inputs_span);
  if (derived.gradient_of == DerivedNode::kNone) return node;
  const Node& of = original.nodes[derived.gradient_of];
  node.gradient_of = {of.name.value, node.name.span};
  if (of.device) node.device = {of.device->value, node.name.span};
  return node;
}

DerivedTensor MadeNode::Output(size_t i) const {
  const auto output = static_cast<uint32_t>(i);
  const bool original = from == DerivedTensor::From::kValue;
  return {signature->out_types[i], from, original ? index + output : index, original ? 0 : output};
}

DerivedGraph::DerivedGraph(const Graph& original, const Resolution& resolution,
                           const std::map<std::string, size_t>& filled)
    : original_(original), resolution_(resolution) {
  made_.value_names = ValueNames(resolution, original);
  for (const Feed& feed : original.feeds) {
    if (!filled.contains(feed.name.value)) feed_names_.insert(feed.name.value);
  }
  kind_of_.reserve(original.nodes.size());
  for (uint32_t i = 0; i < original.nodes.size(); ++i) {
    names_.Add(i, HashOfName(original.nodes[i].name.value));
    kind_of_.push_back(KindOf(resolution.nodes[i].signature));
    if (resolution.nodes[i].op->def.stateful() || original.nodes[i].stop_gradient) continue;
    // New nodes reuse what the graph already computes.
    const uint32_t hash = HashOf(i);
    if (nodes_.Find(hash, [&](uint32_t other) { return Same(i, other); }) == NumberSet::kNone) nodes_.Add(i, hash);
  }
}

uint32_t DerivedGraph::KindOf(const std::shared_ptr<const spec::Signature>& signature) {
  const auto [kind, is_new] = kinds_.try_emplace(signature.get(), 0);
  if (!is_new) return kind->second;
  made_.shared.push_back(signature);
  std::string key;
  for (const spec::AttrValue& attr : signature->attrs) key += "\n" + KeyOf(attr);
  kind->second = kinds_by_attrs_.try_emplace(std::move(key), kinds_by_attrs_.size()).first->second;
  return kind->second;
}

size_t DerivedGraph::CountInputs(uint32_t node) const {
  return IsNew(node) ? New(node).signature->in_types.size() : resolution_.nodes[node].inputs.size();
}

DerivedTensor DerivedGraph::InputOf(uint32_t node, size_t i) const {
  return IsNew(node) ? made_.InputsOf(New(node))[i] : ValueOf(resolution_.nodes[node].inputs[i]);
}

uint32_t DerivedGraph::HashOf(uint32_t node) const {
  size_t hash = reinterpret_cast<uintptr_t>(OpOf(node)) + kind_of_[node];
  for (size_t i = 0; i < CountInputs(node); ++i) {
    const DerivedTensor input = InputOf(node, i);
    const size_t from = static_cast<size_t>(input.from) << 62U, output = static_cast<size_t>(input.output) << 32U;
    hash = (hash ^ from ^ output ^ input.index) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32U;
  }
  return static_cast<uint32_t>(hash);
}

// True if the nodes compute the same.
bool DerivedGraph::Same(uint32_t a, uint32_t b) const {
  const size_t count = CountInputs(a);
  if (OpOf(a) != OpOf(b) || kind_of_[a] != kind_of_[b] || CountInputs(b) != count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (InputOf(a, i) != InputOf(b, i)) return false;
  }
  const auto &of_a = WrittenOf(a).label, &of_b = WrittenOf(b).label;
  return (of_a ? of_a->value : "") == (of_b ? of_b->value : "");
}

bool DerivedGraph::IsTaken(const std::string& name) const {
  const auto is_name = [&](uint32_t node) { return NameOfNode(node) == name; };
  return names_.Find(HashOfName(name), is_name) != NumberSet::kNone || feed_names_.contains(name);
}

std::string DerivedGraph::NewName(std::string wish) const {
  if (!IsTaken(wish)) return wish;
  std::string name;
  int number = 2;
  do {
    name = fmt::format("{}_{}", wish, number++);
  } while (IsTaken(name));
  return name;
}

MadeNode DerivedGraph::MadeBefore(uint32_t node) const {
  if (IsNew(node)) {
    const auto index = static_cast<uint32_t>(node - original_.nodes.size());
    return {OpOf(node), New(node).signature, DerivedTensor::From::kNode, index};
  }
  const ResolvedNode& resolved = resolution_.nodes[node];
  return {OpOf(node), resolved.signature.get(), DerivedTensor::From::kValue, resolved.first_output};
}

MadeNode DerivedGraph::Add(NodeRequest request) {
  std::deque<DerivedNode>& nodes = made_.nodes;
  const auto first_input = static_cast<uint32_t>(made_.inputs.size());
  const auto index = static_cast<uint32_t>(nodes.size());
  const auto number = static_cast<uint32_t>(original_.nodes.size()) + index;
  made_.inputs.insert(made_.inputs.end(), request.inputs.begin(), request.inputs.end());
  nodes.push_back(
      {request.op, request.signature.get(), request.written, request.place, {}, first_input, request.gradient_of});
  kind_of_.push_back(KindOf(request.signature));
  const uint32_t hash = HashOf(number);
  const bool shared = !request.op->def.stateful();
  const uint32_t same =
      shared ? nodes_.Find(hash, [&](uint32_t other) { return Same(number, other); }) : NumberSet::kNone;
  if (same != NumberSet::kNone || index == kMaxNodes) {
    made_.inputs.resize(first_input);
    nodes.pop_back();
    kind_of_.pop_back();
    return same == NumberSet::kNone ? MadeNode() : MadeBefore(same);
  }
  if (shared) nodes_.Add(number, hash);
  nodes.back().name = NewName(std::move(request.name));
  names_.Add(number, HashOfName(nodes.back().name));
  return MadeBefore(number);
}

DerivedTensor DerivedGraph::AddConstant(const std::string& name, Feed constant) {
  const auto [found, is_new] = constants_by_key_.try_emplace(name + "\n" + KeyOf(constant));
  if (is_new) {
    constant.name.value = NewName(name);
    found->second = {constant.value.dtype(), DerivedTensor::From::kConstant,
                     static_cast<uint32_t>(made_.constants.size())};
    feed_names_.insert(constant.name.value);
    made_.constants.push_back(std::move(constant));
  }
  return found->second;
}

}  // namespace opsrun::host

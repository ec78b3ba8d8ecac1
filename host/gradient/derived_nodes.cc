// host/gradient/derived_nodes.cc: creates the nodes of gradients, with inputs, attrs and types, and adds them to the
// graph.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/gradient/differentiate.h"
#include "host/gradient/gradient_text.h"
#include "host/gradient/node_gradient.h"
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

template <typename T>
void AppendBytes(const T& value, std::string& key) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AppendTensor(const DerivedTensor& tensor, std::string& key) {
  AppendBytes(tensor.from, key);
  AppendBytes(tensor.index, key);
  AppendBytes(tensor.output, key);
}

// Nodes with equal keys compute the same. inputs: their tensors.
std::string KeyOf(const RegisteredOp& op, const std::optional<Located<std::string>>& label, const std::string& inputs,
                  const std::vector<spec::AttrValue>& attrs) {
  std::string key;
  AppendBytes(&op, key);
  AppendBytes(inputs.size(), key);
  key += inputs;
  if (label) key += label->value;
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

Node WithoutInputs(const Node& node) {
  Node copy;
  copy.name.span = node.name.span;
  copy.op = node.op;
  copy.inputs_span = node.inputs_span;
  copy.attrs = node.attrs;
  copy.label = node.label;
  copy.span = node.span;
  return copy;
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
  const auto output = static_cast<uint32_t>(i);
  const bool original = from == DerivedTensor::From::kValue;
  return {OutputName(name, signature->out_args, i), signature->out_types[i], from, original ? index + output : index,
          original ? 0 : output};
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
  std::string inputs;
  for (const uint32_t value : resolved.inputs) AppendTensor({.index = value}, inputs);
  by_key_.emplace(KeyOf(*resolved.op, written.label, inputs, resolved.signature->attrs),
                  DerivedNode{resolved.op, written.name.value, resolved.signature, DerivedTensor::From::kValue,
                              resolved.first_output});
}

std::string DerivedGraph::NewName(const std::string& wish) {
  std::string name = wish;
  for (int number = 2; !taken_.insert(name).second; ++number) name = fmt::format("{}_{}", wish, number);
  return name;
}

const DerivedNode* DerivedGraph::Add(NodeRequest request) {
  std::string inputs;
  for (const std::vector<DerivedTensor>& argument : request.inputs) {
    for (const DerivedTensor& tensor : argument) AppendTensor(tensor, inputs);
  }
  Node& written = request.as_written;
  DerivedNode& node = request.op->def.stateful()
                          ? unshared_.emplace_back()
                          : by_key_[KeyOf(*request.op, written.label, inputs, request.signature->attrs)];
  if (node.op != nullptr) return &node;
  if (nodes_.size() == kMaxNodes) return nullptr;
  node = {request.op, NewName(request.name), std::move(request.signature), DerivedTensor::From::kNode,
          static_cast<uint32_t>(nodes_.size())};
  written.name.value = node.name;
  written.inputs = InputsOf(request);
  if (!request.gradient_of.empty()) {
    written.gradient_of = {request.gradient_of, written.name.span};
    if (const auto device = devices_.find(request.gradient_of); device != devices_.end())
      written.device = {device->second, written.name.span};
  }
  nodes_.push_back(std::move(written));
  return &node;
}

DerivedTensor DerivedGraph::AddConstant(const std::string& name, Feed constant) {
  const auto [found, is_new] = constants_by_key_.try_emplace(name + "\n" + KeyOf(constant));
  if (is_new) {
    constant.name.value = NewName(name);
    found->second = {constant.name.value, constant.value.dtype(), DerivedTensor::From::kConstant,
                     static_cast<uint32_t>(constants_.size())};
    constants_.push_back(std::move(constant));
  }
  return found->second;
}

// How often a node is repeated: the common length of its lists.
std::optional<size_t> NodeGradient::Turns(const Node& node) {
  std::optional<size_t> turns;
  for (const Reference& each : node.each) {
    const std::optional<Operand> list = Find(each, {});
    if (!list) return std::nullopt;
    if (!list->list) {
      return reporter_.Refuse(
          "G305", each.span,
          fmt::format("'each' repeats a node for every element of a list, but '{}' is not a list", ReferenceText(each)),
          "leave 'each' out, or name a list");
    }
    if (turns && *turns != list->size) {
      return reporter_.Refuse("G305", each.span,
                              fmt::format("'each' takes lists of one length, but '{}' has {} elements and '{}' has {}",
                                          ReferenceText(node.each[0]), *turns, ReferenceText(each), list->size),
                              "name lists that belong together");
    }
    turns = list->size;
  }
  return turns;
}

const DerivedNode* NodeGradient::Make(size_t node, size_t turn) {
  const MadeNode key{node, turn};
  if (const auto found = made_.find(key); found != made_.end()) return found->second;
  const Node& written = declared_.graph.nodes[node];
  if (!in_work_.insert(key).second) {
    reporter_.Refuse("G205", written.name.span,
                     fmt::format("node '{}' of this gradient depends on itself", written.name.value),
                     "remove one of the inputs that close the cycle");
    return nullptr;
  }
  const auto wish = wishes_.find(key);
  std::string name = wish != wishes_.end() ? wish->second : fmt::format("grad_{}_{}", node_.name, written.name.value);
  const bool repeated = !written.each.empty();
  if (repeated && wish == wishes_.end()) name += fmt::format("_{}", turn);
  const DerivedNode* const made = MakeNew(written, {repeated ? &written : nullptr, turn}, std::move(name));
  in_work_.erase(key);
  made_.insert_or_assign(key, made);
  return made;
}

const RegisteredOp* NodeGradient::FindOp(const Node& node) {
  const RegisteredOp* const op = ops_.loaded.registry.FindOp(node.op.value);
  const auto trouble = std::find_if(ops_.loaded.trouble.begin(), ops_.loaded.trouble.end(),
                                    [&](const OpTrouble& each) { return each.op == node.op.value; });
  const bool none = trouble == ops_.loaded.trouble.end();
  if (op != nullptr && none) return op;
  Diagnostic error = NoOp(node.op.value, none ? nullptr : &*trouble, ops_.catalog);
  error.file = declared_.graph.source->path;
  error.where = node.op.span;
  diagnostics_.all().push_back(std::move(error));
  return nullptr;
}

const DerivedNode* NodeGradient::MakeNew(const Node& node, const Turn& turn, std::string name) {
  NodeRequest request;
  request.op = FindOp(node);
  if (request.op == nullptr) return nullptr;
  std::vector<std::optional<spec::InputTypes>> types;
  if (!TakeInputs(node, turn, request, types) || !InferSignature(node, std::move(types), request)) return nullptr;
  request.name = std::move(name);
  request.as_written = WithoutInputs(node);
  request.gradient_of = node_.name;
  if (node_.place) MovePlaces(*node_.place, request.as_written);
  const DerivedNode* const made = graph_.Add(std::move(request));
  if (made == nullptr) {
    reporter_.Refuse("G302", node.name.span,
                     fmt::format("the gradient has more than {} nodes", DerivedGraph::kMaxNodes),
                     "differentiate a smaller graph");
  }
  return made;
}

bool NodeGradient::TakeInputs(const Node& node, const Turn& turn, NodeRequest& request,
                              std::vector<std::optional<spec::InputTypes>>& types) {
  const std::vector<spec::ArgDef>& args = request.op->def.inputs;
  const size_t errors_before = diagnostics_.all().size();
  const std::vector<MatchedInput> inputs = MatchInputs(node, request.op->def, reporter_);
  if (diagnostics_.all().size() != errors_before) return false;
  request.inputs.resize(args.size());
  types.resize(args.size());
  for (const MatchedInput& each : inputs) {
    if (!types[each.arg]) types[each.arg].emplace();
    if (!TakeInput(each, args[each.arg], turn, request.inputs[each.arg], *types[each.arg])) return false;
  }
  return true;
}

bool NodeGradient::TakeInput(const MatchedInput& matched, const spec::ArgDef& arg, const Turn& turn,
                             std::vector<DerivedTensor>& tensors, spec::InputTypes& types) {
  types.list = types.list || matched.input->list || matched.as_list;
  for (const Reference& reference : matched.input->from) {
    std::optional<Operand> operand = Find(reference, turn);
    if (!operand) return false;
    // A repeated node takes one element of each list that it passes to a single-tensor argument.
    if (turn.node != nullptr && operand->list && !arg.is_list() && turn.index < operand->size) {
      operand = Single(operand->at(turn.index));
    }
    types.list = types.list || operand->list;
    for (size_t i = 0; i < operand->size; ++i) {
      std::optional<DerivedTensor> tensor = operand->at(i);
      if (!tensor) return false;
      types.types.push_back(tensor->dtype);
      tensors.push_back(*std::move(tensor));
    }
  }
  return true;
}

bool NodeGradient::InferSignature(const Node& node, std::vector<std::optional<spec::InputTypes>> types,
                                  NodeRequest& request) {
  const size_t errors_before = diagnostics_.all().size();
  std::vector<std::string> refused;
  std::map<std::string, spec::AttrValue> attrs = ConvertAttrs(node, request.op->def, reporter_, &refused);
  if (diagnostics_.all().size() != errors_before) return false;
  std::vector<spec::InferError> errors;
  request.signature = graph_.signatures().Infer(request.op->def, std::move(types), std::move(attrs), &errors);
  for (const spec::InferError& error : errors) reporter_.Error(InferCode(error), node.op.span, error.message);
  return request.signature != nullptr;
}

}  // namespace opsrun::host

// host/gradient/node_gradient_nodes.cc: creates the nodes of a declared gradient, with inputs, attrs and types.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/gradient/gradient_text.h"
#include "host/gradient/node_gradient.h"
#include "host/plan/attr_yaml.h"
#include "host/plan/explain/no_op.h"
#include "host/plan/explain/origins.h"

namespace opsrun::host {

// How often a node is repeated: the common length of its lists.
std::optional<size_t> NodeGradient::Turns(const Node& node) {
  std::optional<size_t> turns;
  for (const Reference& each : node.each) {
    const std::optional<Operand> list = Find(each, {});
    if (!list) return std::nullopt;
    if (!list->list) {
      return Fail(
          "G305",
          fmt::format("'each' repeats a node for every element of a list, but '{}' is not a list", ReferenceText(each)),
          each.span, "leave 'each' out, or name a list");
    }
    if (turns && *turns != list->size) {
      return Fail("G305",
                  fmt::format("'each' takes lists of one length, but '{}' has {} elements and '{}' has {}",
                              ReferenceText(node.each[0]), *turns, ReferenceText(each), list->size),
                  each.span, "name lists that belong together");
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
    Fail("G205", fmt::format("node '{}' of this gradient depends on itself", written.name.value), written.name.span,
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
  if (!TakeInputs(node, turn, request, types) || !InferSignature(node, types, request)) return nullptr;
  request.name = std::move(name);
  request.as_written = node;
  request.gradient_of = node_.name;
  if (node_.place) MovePlaces(*node_.place, request.as_written);
  const DerivedNode* const made = graph_.Add(std::move(request));
  if (made == nullptr) {
    Fail("G302", fmt::format("the gradient has more than {} nodes", DerivedGraph::kMaxNodes), node.name.span,
         "differentiate a smaller graph");
  }
  return made;
}

// Inputs may be given by position or by name, as in a graph.
bool NodeGradient::TakeInputs(const Node& node, const Turn& turn, NodeRequest& request,
                              std::vector<std::optional<spec::InputTypes>>& types) {
  const std::vector<spec::ArgDef>& args = request.op->def.inputs;
  const std::vector<std::string> names = NamesOf(args);
  const bool one_list = args.size() == 1 && args[0].is_list();
  request.inputs.resize(args.size());
  types.resize(args.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const NodeInput& input = node.inputs[i];
    const bool by_position = input.arg.value.empty();
    const bool as_list = by_position && one_list && !input.list;
    const size_t at = as_list ? 0
                      : by_position
                          ? i
                          : static_cast<size_t>(std::find(names.begin(), names.end(), input.arg.value) - names.begin());
    if (at >= args.size()) {
      if (by_position) {
        Fail("G211",
             fmt::format("op '{}' has {} inputs, but this node gives {}", request.op->def.name, args.size(),
                         node.inputs.size()),
             input.span, fmt::format("inputs: {}", fmt::join(names, ", ")));
      } else {
        Fail("G210", fmt::format("op '{}' has no input '{}'", request.op->def.name, input.arg.value), input.arg.span);
        SuggestName(diagnostics_.all().back(), input.arg.value, names, "inputs");
      }
      return false;
    }
    if (!types[at]) types[at].emplace();
    if (!TakeInput(input, args[at], as_list, turn, request.inputs[at], *types[at])) return false;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (types[i]) continue;
    Fail("G211", fmt::format("input '{}' of op '{}' is missing", args[i].name, request.op->def.name), node.op.span,
         fmt::format("inputs: {}", fmt::join(names, ", ")));
    return false;
  }
  return true;
}

bool NodeGradient::TakeInput(const NodeInput& input, const spec::ArgDef& arg, bool as_list, const Turn& turn,
                             std::vector<DerivedTensor>& tensors, spec::InputTypes& types) {
  types.list = types.list || input.list || as_list;
  for (const Reference& reference : input.from) {
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

bool NodeGradient::InferSignature(const Node& node, const std::vector<std::optional<spec::InputTypes>>& types,
                                  NodeRequest& request) {
  const spec::OpDef& op = request.op->def;
  std::map<std::string, spec::AttrValue> attrs;
  for (const NodeAttr& given : node.attrs) {
    const spec::AttrDef* const attr = op.FindAttr(given.name.value);
    if (attr == nullptr) {
      Fail("G212", fmt::format("op '{}' has no attr '{}'", op.name, given.name.value), given.name.span);
      SuggestName(diagnostics_.all().back(), given.name.value, NamesOf(op.attrs), "attrs");
      return false;
    }
    AttrMistake mistake;
    std::optional<spec::AttrValue> value = AttrFromValue(*attr, given.value, &mistake);
    if (!value) {
      Fail("G214", mistake.message, mistake.where, mistake.help);
      return false;
    }
    attrs.emplace(attr->name, *std::move(value));
  }
  spec::Inference inference = spec::InferAttrs(op, types, attrs);
  for (const spec::InferError& error : inference.errors) Fail(InferCode(error), error.message, node.op.span);
  request.signature = std::move(inference.signature);
  return inference.errors.empty();
}

}  // namespace opsrun::host

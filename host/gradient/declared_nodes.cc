// host/gradient/declared_nodes.cc: makes the nodes of a declared gradient, with inputs, attrs and types.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/gradient/node_gradient.h"
#include "host/plan/explain/explain.h"

namespace opsrun::host {

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

NodeGradient::Work& NodeGradient::WorkOn(size_t node, size_t turn) {
  std::vector<Work>& turns = planned_[node].turns;
  if (turns.size() <= turn) turns.resize(turn + 1);
  return turns[turn];
}

MadeNode NodeGradient::Make(size_t node, size_t turn) {
  const Node& written = DeclaredNode(node);
  Work& work = WorkOn(node, turn);
  if (work.state == Work::State::kDone) return work.made;
  if (work.state == Work::State::kOpen) {
    reporter_.Refuse("G205", written.name.span,
                     fmt::format("node '{}' of this gradient depends on itself", written.name.value),
                     "remove one of the inputs that close the cycle");
    return {};
  }
  work.state = Work::State::kOpen;
  const bool repeated = !written.each.empty();
  std::string name = std::move(work.wish);
  if (name.empty()) {
    name.append("grad_").append(node_->name).append("_").append(written.name.value);
    if (repeated) name += fmt::format("_{}", turn);
  }
  const MadeNode made = MakeNew(node, {repeated ? &written : nullptr, turn}, std::move(name));
  Work& done = WorkOn(node, turn);  // in its place after others were added
  done.state = Work::State::kDone;
  done.made = made;
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

MadeNode NodeGradient::MakeNew(size_t node, const Turn& turn, std::string name) {
  const Node& written = DeclaredNode(node);
  if (!Plan(node)) return {};
  std::vector<std::vector<DerivedTensor>> tensors;
  std::vector<std::optional<spec::InputTypes>> types;
  if (!TakeInputs(node, turn, tensors, types) || !InferSignature(node, std::move(types))) return {};
  NodeRequest request;
  request.name = std::move(name);
  request.op = planned_[node].op;
  request.written = &written;
  for (const std::vector<DerivedTensor>& of_arg : tensors)
    request.inputs.insert(request.inputs.end(), of_arg.begin(), of_arg.end());
  request.signature = planned_[node].signature;
  request.gradient_of = node_->index;
  request.place = node_->place;
  const MadeNode made = graph_.Add(std::move(request));
  if (made.op == nullptr) {
    reporter_.Refuse("G302", written.name.span,
                     fmt::format("the gradient has more than {} nodes", DerivedGraph::kMaxNodes),
                     "differentiate a smaller graph");
  }
  return made;
}

// Finds the op of the node, and its inputs.
bool NodeGradient::Plan(size_t node) {
  Planned& planned = planned_[node];
  if (planned.op != nullptr) return true;
  const RegisteredOp* const op = FindOp(DeclaredNode(node));
  if (op == nullptr) return false;
  const size_t errors_before = diagnostics_.all().size();
  planned.inputs = MatchInputs(DeclaredNode(node), op->def, reporter_);
  if (diagnostics_.all().size() != errors_before) return false;
  planned.op = op;
  return true;
}

bool NodeGradient::TakeInputs(size_t node, const Turn& turn, std::vector<std::vector<DerivedTensor>>& tensors,
                              std::vector<std::optional<spec::InputTypes>>& types) {
  const Planned& planned = planned_[node];
  const std::vector<spec::ArgDef>& args = planned.op->def.inputs;
  tensors.resize(args.size());
  types.resize(args.size());
  for (const MatchedInput& each : planned.inputs) {
    if (!types[each.arg]) types[each.arg].emplace();
    if (!TakeInput(each, args[each.arg], turn, tensors[each.arg], *types[each.arg])) return false;
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
      operand = Operand{.tensor = At(*operand, turn.index)};
    }
    types.list = types.list || operand->list;
    for (size_t i = 0; i < operand->size; ++i) {
      std::optional<DerivedTensor> tensor = At(*operand, i);
      if (!tensor) return false;
      types.types.push_back(tensor->dtype);
      tensors.push_back(*std::move(tensor));
    }
  }
  return true;
}

bool NodeGradient::InferSignature(size_t node, std::vector<std::optional<spec::InputTypes>> types) {
  Planned& planned = planned_[node];
  if (planned.signature != nullptr && planned.types == types) return true;
  const Node& written = DeclaredNode(node);
  const size_t errors_before = diagnostics_.all().size();
  std::vector<std::string> refused;
  std::map<std::string, spec::AttrValue> attrs = ConvertAttrs(written, planned.op->def, reporter_, &refused);
  if (diagnostics_.all().size() != errors_before) return false;
  planned.types = types;
  std::vector<spec::InferError> errors;
  planned.signature = graph_.signatures().Infer(planned.op->def, std::move(types), std::move(attrs), &errors);
  for (const spec::InferError& error : errors) reporter_.Error(InferCode(error), written.op.span, error.message);
  return planned.signature != nullptr;
}

}  // namespace opsrun::host

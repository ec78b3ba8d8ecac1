// host/gradient/node_gradient_operands.cc: what the names in a declared gradient stand for.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/gradient/node_gradient.h"

namespace opsrun::host {

NodeGradient::Operand NodeGradient::Single(std::optional<DerivedTensor> tensor) {
  return {false, 1, [tensor](size_t) { return tensor; }};
}

std::optional<NodeGradient::Operand> NodeGradient::Find(const Reference& reference, const Turn& turn) {
  std::optional<Operand> whole = FindWhole(reference, turn);
  if (!whole || reference.index < 0) return whole;
  const auto index = static_cast<size_t>(reference.index);
  if (whole->list && index < whole->size) return Single(whole->at(index));
  return Fail("G208",
              whole->list ? fmt::format("this list has {} elements, so there is no element {}", whole->size, index)
                          : fmt::format("this is not a list, so there is no element {}", index),
              reference.span, whole->list ? "elements are counted from 0" : "leave the number out");
}

std::optional<NodeGradient::Operand> NodeGradient::FindWhole(const Reference& reference, const Turn& turn) {
  if (turn.node != nullptr) {
    for (const Reference& each : turn.node->each) {
      if (each.name != reference.name || each.output != reference.output) continue;
      const std::optional<Operand> list = FindWhole(reference, {});
      return list ? std::optional(Single(list->at(turn.index))) : std::nullopt;
    }
  }
  if (reference.name == kGrad && !reference.output.empty()) return GradientOf(reference);
  const auto node = nodes_.find(reference.name);
  if (node != nodes_.end()) return OutputOf(reference, node->second);
  if (!reference.output.empty()) return UnknownName(reference);
  const auto constant = constants_.find(reference.name);
  if (constant != constants_.end()) {
    Feed feed = declared_.graph.feeds[constant->second];
    return Single(graph_.AddConstant(reference.name, std::move(feed)));
  }
  const auto tensor_of = [](const std::vector<DerivedTensor>& tensors) {
    return [&tensors](size_t i) { return tensors[i]; };
  };
  if (auto input = ArgumentOf(node_.signature->in_args, reference.name, tensor_of(node_.inputs))) return input;
  if (auto output = ArgumentOf(node_.signature->out_args, reference.name, tensor_of(node_.outputs))) return output;
  return UnknownName(reference);
}

std::optional<NodeGradient::Operand> NodeGradient::ArgumentOf(
    const std::vector<spec::ArgRange>& args, const std::string& name,
    std::function<std::optional<DerivedTensor>(size_t)> tensor) {
  for (const spec::ArgRange& arg : args) {
    if (arg.name != name) continue;
    return Operand{arg.list, arg.count, [first = arg.first, tensor](size_t i) { return tensor(first + i); }};
  }
  return std::nullopt;
}

std::optional<NodeGradient::Operand> NodeGradient::GradientOf(const Reference& reference) {
  if (auto found = ArgumentOf(node_.signature->out_args, reference.output, node_.gradient)) return found;
  Fail("G206", fmt::format("op '{}' has no output '{}'", op_.name, reference.output), reference.span);
  SuggestName(diagnostics_.all().back(), reference.output, NamesOf(op_.outputs), "outputs", "grad.");
  return std::nullopt;
}

std::nullopt_t NodeGradient::UnknownName(const Reference& reference) {
  std::vector<std::string> names = NamesOf(op_.inputs);
  for (const std::string& output : NamesOf(op_.outputs)) names.insert(names.end(), {output, "grad." + output});
  for (const auto& [name, index] : nodes_) names.push_back(name);
  for (const auto& [name, index] : constants_) names.push_back(name);
  const std::string text = ReferenceText(reference);
  Fail("G204", fmt::format("{} is neither an argument of op '{}' nor a node of its gradient", Quote(text), op_.name),
       reference.span);
  SuggestName(diagnostics_.all().back(), text, names, "names");
  return std::nullopt;
}

std::optional<size_t> NodeGradient::OutputIndex(const Reference& reference, const spec::OpDef& op) {
  const std::vector<std::string> names = NamesOf(op.outputs);
  if (reference.output.empty()) {
    if (names.size() == 1) return 0;
    return Fail("G207", fmt::format("node '{}' has {} outputs", reference.name, names.size()), reference.span,
                fmt::format("say which: '{0}.{1}'", reference.name,
                            fmt::join(names, fmt::format("' or '{}.", reference.name))));
  }
  const auto found = std::find(names.begin(), names.end(), reference.output);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  Fail("G206", fmt::format("node '{}' has no output '{}'", reference.name, reference.output), reference.span);
  SuggestName(diagnostics_.all().back(), reference.output, names, "outputs", reference.name + ".");
  return std::nullopt;
}

std::optional<NodeGradient::Operand> NodeGradient::OutputOf(const Reference& reference, size_t node) {
  if (!declared_.graph.nodes[node].each.empty()) return RepeatedOutput(reference, node);
  const DerivedNode* const made = Make(node, 0);
  if (made == nullptr) return std::nullopt;
  const std::optional<size_t> output = OutputIndex(reference, made->op->def);
  if (!output) return std::nullopt;
  const spec::ArgRange& range = made->signature.out_args[*output];
  return Operand{range.list, range.count, [made, first = range.first](size_t i) { return made->Output(first + i); }};
}

// A list of what the repetitions give.
std::optional<NodeGradient::Operand> NodeGradient::RepeatedOutput(const Reference& reference, size_t node) {
  const Node& repeated = declared_.graph.nodes[node];
  const std::optional<size_t> turns = Turns(repeated);
  const RegisteredOp* const op = FindOp(repeated);
  if (!turns || op == nullptr) return std::nullopt;
  const std::optional<size_t> output = OutputIndex(reference, op->def);
  if (!output) return std::nullopt;
  if (op->def.outputs[*output].is_list()) {
    return Fail("G218",
                fmt::format("node '{}' is repeated, and its output '{}' is a list: lists of lists do not exist",
                            reference.name, op->def.outputs[*output].name),
                reference.span, "repeat an op that gives one tensor");
  }
  return Operand{true, *turns, [this, node, output = *output](size_t i) -> std::optional<DerivedTensor> {
                   const DerivedNode* const made = Make(node, i);
                   if (made == nullptr) return std::nullopt;
                   return made->Output(made->signature.out_args[output].first);
                 }};
}

}  // namespace opsrun::host

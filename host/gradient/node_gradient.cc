// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/node_gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace opsrun::host {

NodeGradient::NodeGradient(DeclaredGradient declared, const RegisteredOp& op,
                           std::shared_ptr<const spec::Signature> signature, const GradientOps& ops,
                           DerivedGraph& graph, Diagnostics& diagnostics)
    : declared_(std::move(declared)),
      op_(op.def),
      signature_(std::move(signature)),
      ops_(ops),
      graph_(graph),
      diagnostics_(diagnostics),
      reporter_(*declared_.graph.source, diagnostics),
      planned_(declared_.graph.nodes.size()),
      constants_(declared_.graph.feeds.size()) {
  const bool names = CheckNames();
  valid_ = CheckOutputs() && names && CheckSlices();
}

void NodeGradient::Begin(const ForwardNode& node) {
  node_ = &node;
  for (Planned& planned : planned_) planned.turns.clear();
}

// Names of nodes and constants must differ from those of inputs and outputs, since references share one namespace.
bool NodeGradient::CheckNames() {
  bool ok = true;
  const auto check = [&](const Located<std::string>& name) {
    const auto is_name = [&](const spec::ArgDef& arg) { return arg.name == name.value; };
    if (std::none_of(op_.inputs.begin(), op_.inputs.end(), is_name) &&
        std::none_of(op_.outputs.begin(), op_.outputs.end(), is_name) && name.value != kGrad) {
      return;
    }
    const std::string what = name.value == kGrad
                                 ? "is reserved for the gradients of outputs"
                                 : fmt::format("is the name of an input or output of op '{}'", op_.name);
    reporter_.Refuse("G103", name.span, fmt::format("'{}' {}", name.value, what), "rename it");
    ok = false;
  };
  for (const Node& node : declared_.graph.nodes) check(node.name);
  for (const Feed& feed : declared_.graph.feeds) check(feed.name);
  return ok;
}

const GradientOutput* NodeGradient::OutputFor(const std::string& input) const {
  const auto found = std::find_if(declared_.outputs.begin(), declared_.outputs.end(),
                                  [&](const GradientOutput& output) { return output.input.value == input; });
  return found == declared_.outputs.end() ? nullptr : &*found;
}

bool NodeGradient::CheckInput(const Located<std::string>& input) {
  const std::vector<std::string> inputs = spec::NamesOf(op_.inputs);
  if (std::find(inputs.begin(), inputs.end(), input.value) != inputs.end()) return true;
  SuggestName(reporter_.Error("G210", input.span, fmt::format("op '{}' has no input '{}'", op_.name, input.value)),
              input.value, inputs, "inputs");
  return false;
}

// Tensors of slices must be inputs or gradients of outputs: programs read them before any node of the gradient runs.
bool NodeGradient::CheckArgument(const Reference& reference) {
  const bool gradient = reference.name == kGrad && !reference.output.empty();
  const auto& args = gradient ? signature_->out_args : signature_->in_args;
  const std::string& name = gradient ? reference.output : reference.name;
  const spec::ArgRange* const arg = spec::FindNamed(args, name);
  if (arg != nullptr && !arg->list && (gradient || reference.output.empty()) && reference.index < 0) return true;
  reporter_.Refuse("G204", reference.span,
                   fmt::format("{} is neither an input of op '{}' nor the gradient of an output",
                               Quote(ReferenceText(reference)), op_.name),
                   "slices consist of inputs and of grad.OUTPUT, none of which is a list");
  return false;
}

bool NodeGradient::CheckSlices() {
  bool ok = true;
  for (const GradientSlices& slices : declared_.slices) {
    ok = CheckInput(slices.input) && ok;
    ok = CheckArgument(slices.values) && ok;
    ok = CheckArgument(slices.indices) && ok;
    ok = (!slices.axis || CheckArgument(*slices.axis)) && ok;
  }
  return ok;
}

bool NodeGradient::CheckOutputs() {
  bool ok = true;
  for (const GradientOutput& output : declared_.outputs) {
    if (!CheckInput(output.input)) return false;  // probably a misspelt name of a missing input
  }
  for (const std::string& input : spec::NamesOf(op_.inputs)) {
    if (OutputFor(input) != nullptr) continue;
    const Span where = declared_.outputs.empty() ? declared_.outputs_span : declared_.outputs.back().span;
    reporter_.Refuse(
        "G303", where, fmt::format("this gradient of op '{}' is missing input '{}'", op_.name, input),
        fmt::format("add '{0}: NODE' to its 'outputs', or '{0}: null' if the input has no gradient", input));
    ok = false;
  }
  return ok;
}

std::optional<size_t> NodeGradient::IndexOfNode(const std::string& name) const {
  const std::vector<Node>& nodes = declared_.graph.nodes;
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.name.value == name; });
  return found == nodes.end() ? std::nullopt : std::optional(static_cast<size_t>(found - nodes.begin()));
}

std::optional<DerivedTensor> NodeGradient::OfInput(size_t i, const std::string& wish) {
  if (!valid_) return std::nullopt;
  const spec::ArgRange* const input = &spec::ArgOf(signature_->in_args, i);
  const GradientOutput& output = *OutputFor(input->name);
  if (output.null) return std::nullopt;
  const size_t element = i - input->first;
  if (!output.list && output.from[0].output.empty() && output.from[0].index < 0) {
    const std::optional<size_t> node = IndexOfNode(output.from[0].name);
    if (node && (!DeclaredNode(*node).each.empty() || !input->list)) {
      std::string& named = WorkOn(*node, element).wish;
      if (named.empty()) named = wish;
    }
  }
  std::optional<DerivedTensor> gradient = Element(output, *input, element);
  if (!gradient || gradient->dtype == node_->inputs[i].dtype) return gradient;
  return reporter_.Refuse("G304", output.span,
                          fmt::format("this gradient of input '{}' is {}, but the input is {}", input->name,
                                      DTypeName(gradient->dtype), DTypeName(node_->inputs[i].dtype)),
                          "a gradient must have the data type and the shape of its input");
}

std::optional<DerivedTensor> NodeGradient::Element(const GradientOutput& output, const spec::ArgRange& input,
                                                   size_t element) {
  std::vector<Operand> operands;
  size_t count = 0;
  bool list = output.list;
  for (const Reference& reference : output.from) {
    std::optional<Operand> operand = Find(reference, {});
    if (!operand) return std::nullopt;
    count += operand->size;
    list = list || operand->list;
    operands.push_back(*std::move(operand));
  }
  // A single tensor may be the gradient of every element of a list.
  if (!list) return At(operands[0], 0);
  if (!input.list) {
    return reporter_.Refuse("G218", output.span,
                            fmt::format("this gradient of input '{}' is a list, but the input is not", input.name),
                            "pass one tensor, such as an element of a list output: NODE.OUTPUT.INDEX");
  }
  if (count != input.count) {
    return reporter_.Refuse(
        "G303", output.span,
        fmt::format("this gradient of input '{}' has {} tensors, but the input has {}", input.name, count, input.count),
        "give each element of the list its gradient");
  }
  for (const Operand& operand : operands) {
    if (element < operand.size) return At(operand, element);
    element -= operand.size;
  }
  return std::nullopt;
}

// Resolves the names in a declared gradient.

std::optional<DerivedTensor> NodeGradient::At(const Operand& operand, size_t i) {
  switch (operand.kind) {
    case Operand::Kind::kTensors:
      return (*operand.of)[operand.first + i];
    case Operand::Kind::kGradients:
      return node_->gradient(operand.first + i);
    case Operand::Kind::kOutputs:
      return operand.made.Output(operand.first + i);
    case Operand::Kind::kRepeated: {
      const MadeNode made = Make(operand.node, i);
      if (made.op == nullptr) return std::nullopt;
      return made.Output(made.signature->out_args[operand.first].first);
    }
    default:
      return operand.tensor;
  }
}

std::optional<NodeGradient::Operand> NodeGradient::Find(const Reference& reference, const Turn& turn) {
  std::optional<Operand> whole = FindWhole(reference, turn);
  if (!whole || reference.index < 0) return whole;
  const auto index = static_cast<size_t>(reference.index);
  if (whole->list && index < whole->size) return Operand{.tensor = At(*whole, index)};
  return reporter_.Refuse("G208", reference.span,
                          whole->list
                              ? fmt::format("this list has {} elements, so there is no element {}", whole->size, index)
                              : fmt::format("this is not a list, so there is no element {}", index),
                          whole->list ? "elements are counted from 0" : "leave the number out");
}

std::optional<NodeGradient::Operand> NodeGradient::FindWhole(const Reference& reference, const Turn& turn) {
  if (turn.node != nullptr) {
    for (const Reference& each : turn.node->each) {
      if (each.name != reference.name || each.output != reference.output) continue;
      const std::optional<Operand> list = FindWhole(reference, {});
      return list ? std::optional(Operand{.tensor = At(*list, turn.index)}) : std::nullopt;
    }
  }
  if (reference.name == kGrad && !reference.output.empty()) return GradientOf(reference);
  if (const std::optional<size_t> node = IndexOfNode(reference.name)) return OutputOf(reference, *node);
  if (!reference.output.empty()) return UnknownName(reference);
  for (size_t i = 0; i < constants_.size(); ++i) {
    const Feed& constant = declared_.graph.feeds[i];
    if (constant.name.value != reference.name) continue;
    if (!constants_[i]) constants_[i] = graph_.AddConstant(reference.name, constant);
    return Operand{.tensor = constants_[i]};
  }
  using Kind = Operand::Kind;
  if (const spec::ArgRange* const input = spec::FindNamed(signature_->in_args, reference.name))
    return Operand{
        .kind = Kind::kTensors, .list = input->list, .size = input->count, .of = &node_->inputs, .first = input->first};
  if (const spec::ArgRange* const output = spec::FindNamed(signature_->out_args, reference.name))
    return Operand{.kind = Kind::kTensors,
                   .list = output->list,
                   .size = output->count,
                   .of = &node_->outputs,
                   .first = output->first};
  return UnknownName(reference);
}

std::optional<NodeGradient::Operand> NodeGradient::GradientOf(const Reference& reference) {
  if (const spec::ArgRange* const found = spec::FindNamed(signature_->out_args, reference.output))
    return Operand{.kind = Operand::Kind::kGradients, .list = found->list, .size = found->count, .first = found->first};
  SuggestName(
      reporter_.Error("G206", reference.span, fmt::format("op '{}' has no output '{}'", op_.name, reference.output)),
      reference.output, spec::NamesOf(op_.outputs), "outputs", "grad.");
  return std::nullopt;
}

std::nullopt_t NodeGradient::UnknownName(const Reference& reference) {
  std::vector<std::string> names = spec::NamesOf(op_.inputs);
  for (const std::string& output : spec::NamesOf(op_.outputs)) names.insert(names.end(), {output, "grad." + output});
  std::set<std::string> declared;
  for (const Node& node : declared_.graph.nodes) declared.insert(node.name.value);
  names.insert(names.end(), declared.begin(), declared.end());
  declared.clear();
  for (const Feed& constant : declared_.graph.feeds) declared.insert(constant.name.value);
  names.insert(names.end(), declared.begin(), declared.end());
  const std::string text = ReferenceText(reference);
  SuggestName(reporter_.Error("G204", reference.span,
                              fmt::format("{} is neither an argument of op '{}' nor a node of its gradient",
                                          Quote(text), op_.name)),
              text, names, "names");
  return std::nullopt;
}

// Nodes of a gradient have no `after`, which FindOutput suggests for an op without outputs.
std::optional<size_t> NodeGradient::FindOutputOf(const RegisteredOp& op, const Reference& reference) {
  const std::optional<size_t> output = FindOutput(reference, op.def, reporter_);
  Diagnostic* const error = output ? nullptr : &diagnostics_.all().back();
  if (error != nullptr && error->code == "G209") error->help = {"use a node whose op has an output"};
  return output;
}

std::optional<NodeGradient::Operand> NodeGradient::OutputOf(const Reference& reference, size_t node) {
  if (!DeclaredNode(node).each.empty()) return RepeatedOutput(reference, node);
  const MadeNode made = Make(node, 0);
  if (made.op == nullptr) return std::nullopt;
  const std::optional<size_t> output = FindOutputOf(*made.op, reference);
  if (!output) return std::nullopt;
  const spec::ArgRange& range = made.signature->out_args[*output];
  return Operand{
      .kind = Operand::Kind::kOutputs, .list = range.list, .size = range.count, .made = made, .first = range.first};
}

// The list of the repetitions' outputs.
std::optional<NodeGradient::Operand> NodeGradient::RepeatedOutput(const Reference& reference, size_t node) {
  const std::optional<size_t> turns = Turns(DeclaredNode(node));
  const RegisteredOp* const op = FindOp(DeclaredNode(node));
  if (!turns || op == nullptr) return std::nullopt;
  const std::optional<size_t> output = FindOutputOf(*op, reference);
  if (!output) return std::nullopt;
  if (op->def.outputs[*output].is_list()) {
    return reporter_.Refuse(
        "G218", reference.span,
        fmt::format("node '{}' is repeated, and its output '{}' is a list: there are no lists of lists", reference.name,
                    op->def.outputs[*output].name),
        "repeat an op that returns one tensor");
  }
  return Operand{.kind = Operand::Kind::kRepeated, .list = true, .size = *turns, .node = node, .first = *output};
}

}  // namespace opsrun::host

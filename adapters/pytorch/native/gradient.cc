// adapters/pytorch/native/gradient.cc
// SPDX-License-Identifier: Apache-2.0
#include "gradient.h"

#include <ATen/ops/lift_fresh.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "values.h"

namespace opsrun_torch {
namespace {

using Tensors = std::vector<at::Tensor>;

at::Tensor TensorOf(const opsrun_array& array) {
  const TypeNumbers* const type = FindType(array.dtype);
  if (type == nullptr) Raise(OPSRUN_UNIMPLEMENTED, "a gradient has a constant of a type that PyTorch does not have");
  return CopyOf(array.data, *type, {array.shape, static_cast<size_t>(array.rank)});
}

// Calls an operator; returns all results, lists flattened.
Tensors CallOperator(const c10::OperatorHandle& op, torch::jit::Stack stack) {
  op.callBoxed(stack);
  return TensorsOf(stack);
}

// Symbolic sizes of a trace count as unknown.
std::optional<InputShapes> ShapesOf(const std::vector<at::Tensor>& inputs) {
  InputShapes shapes;
  for (const at::Tensor& input : inputs) {
    if (!input.defined() || input.is_nested()) return std::nullopt;
    shapes.Add(input.sym_sizes());
  }
  return shapes;
}

// True in a trace: its graph is built once but runs often, so the specific gradient pays off.
bool IsTrace(const std::vector<at::Tensor>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const at::Tensor& input) {
    return input.defined() && input.key_set().has(c10::DispatchKey::Python);
  });
}

}  // namespace

std::vector<opsrun_known_sizes> InputShapes::all() const {
  std::vector<opsrun_known_sizes> shapes;
  for (const int64_t* at = numbers_.begin(); at != numbers_.end(); at += 1 + *at) {
    shapes.push_back({static_cast<int32_t>(*at), 0, at + 1, nullptr});
  }
  return shapes;
}

Gradient::Gradient(const TypedOp& op, const InputShapes* shapes, const FindOperator& find) : name_(op.name()) {
  const std::vector<opsrun_known_sizes> known = shapes != nullptr ? shapes->all() : std::vector<opsrun_known_sizes>();
  const auto found = opsrun_adapter::Differentiate(op.get(), known, name_ + " cannot be differentiated");
  const opsrun_gradient_info& info = *opsrun_gradient_get(found.get());
  uses_inputs_.resize(op.info().n_in);
  uses_outputs_.resize(op.info().n_out);
  for (uint32_t i = 0; i < info.n_calls; ++i) calls_.push_back(ReadCall(info.calls[i], find));
  for (uint32_t i = 0; i < info.n_constants; ++i) constants_.push_back(TensorOf(info.constants[i]));
  of_inputs_.assign(info.of_inputs, info.of_inputs + info.n_inputs);
  for (const CallOf& call : calls_) {
    for (const opsrun_operand& operand : call.inputs) MarkUsed(operand);
  }
  for (const opsrun_operand& operand : of_inputs_) MarkUsed(operand);
}

void Gradient::MarkUsed(const opsrun_operand& operand) {
  if (operand.kind == OPSRUN_OPERAND_INPUT) uses_inputs_[operand.index] = true;
  if (operand.kind == OPSRUN_OPERAND_OUTPUT) uses_outputs_[operand.index] = true;
}

Gradient::CallOf Gradient::ReadCall(const opsrun_op_call& call, const FindOperator& find) const {
  const opsrun_typed_op_info& info = *opsrun_typed_op_get(call.op);
  const std::string name = find(Text(info.plugin), Text(info.name));
  CallOf read;
  read.op = c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), "");
  read.inputs.assign(call.inputs, call.inputs + info.n_in);
  for (uint32_t i = 0; i < info.n_in_args; ++i) {
    const opsrun_arg& arg = info.in_args[i];
    read.counts.push_back((arg.flags & OPSRUN_ARG_LIST) != 0 ? arg.count : kSingle);
  }
  // Attrs that are inferred from inputs are not arguments. Names of others may have got a "_" appended.
  const std::vector<c10::Argument>& arguments = read.op->schema().arguments();
  for (size_t i = info.n_in_args; i < arguments.size(); ++i) {
    const opsrun_attr* named = nullptr;
    size_t most = 0;
    for (uint32_t k = 0; k < info.n_attrs; ++k) {
      const std::string attr = Text(info.attrs[k].name);
      if (attr.size() <= most || arguments[i].name().compare(0, attr.size(), attr) != 0) continue;
      if (arguments[i].name().find_first_not_of('_', attr.size()) != std::string::npos) continue;
      named = &info.attrs[k];
      most = attr.size();
    }
    read.attrs.push_back(named == nullptr ? c10::IValue() : ValueOf(*named, arguments[i].type()));
  }
  return read;
}

// By call: true if a wanted gradient depends on it.
std::vector<bool> Gradient::CallsFor(const std::vector<bool>& wanted) const {
  std::vector<bool> needed(calls_.size());
  const auto mark = [&](const opsrun_operand& operand) {
    if (operand.kind == OPSRUN_OPERAND_CALL) needed[operand.index] = true;
  };
  for (size_t i = 0; i < of_inputs_.size(); ++i) {
    if (wanted[i]) mark(of_inputs_[i]);
  }
  for (size_t i = calls_.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (const opsrun_operand& operand : calls_[i].inputs) mark(operand);
  }
  return needed;
}

Tensors Gradient::Compute(const Tensors& inputs, const Tensors& outputs, const Tensors& gradients,
                          const std::vector<bool>& wanted) const {
  const std::vector<bool> needed = CallsFor(wanted);
  std::vector<Tensors> results(calls_.size());
  const auto tensor = [&](const opsrun_operand& operand) -> at::Tensor {
    switch (operand.kind) {
      case OPSRUN_OPERAND_INPUT:
        return inputs[operand.index];
      case OPSRUN_OPERAND_OUTPUT:
        return outputs[operand.index];
      case OPSRUN_OPERAND_GRADIENT:
        return gradients[operand.index];
      case OPSRUN_OPERAND_CONSTANT:
        return at::lift_fresh(constants_[operand.index]);  // lets a trace treat it as a constant
      case OPSRUN_OPERAND_CALL:
        return results[operand.index][operand.output];
      default:
        return {};
    }
  };
  for (size_t i = 0; i < calls_.size(); ++i) {
    if (!needed[i]) continue;
    const CallOf& call = calls_[i];
    torch::jit::Stack stack;
    size_t next = 0;
    for (const uint32_t count : call.counts) {
      if (count == kSingle) {
        stack.emplace_back(tensor(call.inputs[next++]));
        continue;
      }
      c10::List<at::Tensor> list;
      for (uint32_t k = 0; k < count; ++k) list.push_back(tensor(call.inputs[next++]));
      stack.emplace_back(std::move(list));
    }
    stack.insert(stack.end(), call.attrs.begin(), call.attrs.end());
    results[i] = CallOperator(*call.op, std::move(stack));
  }
  Tensors wanted_gradients(of_inputs_.size());
  for (size_t i = 0; i < of_inputs_.size(); ++i) {
    if (wanted[i]) wanted_gradients[i] = tensor(of_inputs_[i]);
  }
  return wanted_gradients;
}

std::shared_ptr<const Gradient> Gradients::For(const TypedOp& op, const std::vector<at::Tensor>& inputs,
                                               const FindOperator& find) {
  const std::optional<InputShapes> shapes = ShapesOf(inputs);
  if (!shapes) return ForAll(op, shapes, find);
  bool again = false;
  if (Made found = FindFor(*shapes, &again)) return found;
  Made made = again || IsTrace(inputs) ? nullptr : ForAll(op, shapes, find);
  return made != nullptr ? made : DeriveFor(op, *shapes, find);
}

Gradients::Made Gradients::FindFor(const InputShapes& shapes, bool* again) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      std::find_if(of_shapes_.begin(), of_shapes_.end(), [&](const OfShapes& each) { return each.shapes == shapes; });
  if (found == of_shapes_.end()) {
    of_shapes_.push_front({shapes, nullptr});
    if (of_shapes_.size() > kKept) of_shapes_.pop_back();
    return nullptr;
  }
  if (found != of_shapes_.begin()) of_shapes_.splice(of_shapes_.begin(), of_shapes_, found);
  *again = derived_ < kMostDerived;
  return found->gradient;
}

// Holds no lock, since deriving opens plugins and may register operators.
Gradients::Made Gradients::DeriveFor(const TypedOp& op, const InputShapes& shapes, const FindOperator& find) {
  Made made;
  std::exception_ptr problem;
  try {
    made = std::make_shared<const Gradient>(op, &shapes, find);
  } catch (const c10::Error&) {
    problem = std::current_exception();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  ++derived_;
  if (made == nullptr) made = for_all_;  // a gradient for all shapes also serves these
  if (made == nullptr) std::rethrow_exception(problem);
  for (OfShapes& each : of_shapes_) {
    if (each.shapes == shapes) each.gradient = made;
  }
  return made;
}

Gradients::Made Gradients::ForAll(const TypedOp& op, const std::optional<InputShapes>& shapes,
                                  const FindOperator& find) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (for_all_ != nullptr) return for_all_;
    if (none_for_all_ && shapes) return nullptr;
  }
  Made made;
  try {
    made = std::make_shared<const Gradient>(op, nullptr, find);
  } catch (const c10::Error&) {
    if (!shapes) throw;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  none_for_all_ = made == nullptr;
  if (for_all_ == nullptr) for_all_ = std::move(made);
  return for_all_;
}

}  // namespace opsrun_torch

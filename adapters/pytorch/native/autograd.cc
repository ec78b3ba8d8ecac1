// adapters/pytorch/native/autograd.cc
// SPDX-License-Identifier: Apache-2.0
#include "autograd.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable_info.h>

#include <utility>

#include "errors.h"

namespace opsrun_torch {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::Variable;
using torch::autograd::variable_list;
using torch::autograd::VariableInfo;

bool IsDifferentiable(const at::Tensor& tensor) {
  return torch::autograd::isDifferentiableType(tensor.scalar_type());
}

// A call in the autograd graph. Its inputs are the gradients of the differentiable outputs, its outputs are the
// gradients of all inputs.
class Backward : public torch::autograd::Node {
 public:
  Backward(std::string name, std::shared_ptr<const Gradient> gradient)
      : name_("Opsrun" + std::move(name) + "Backward"), gradient_(std::move(gradient)) {}

  // Call it after the op has run. Saves only tensors that the gradient uses.
  void Save(const variable_list& inputs, const variable_list& outputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs_.push_back(gradient_->UsesInput(i) ? SavedVariable(inputs[i], false) : SavedVariable());
      input_infos_.emplace_back(inputs[i]);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const bool differentiable = IsDifferentiable(outputs[i]);
      outputs_.push_back(gradient_->UsesOutput(i) ? SavedVariable(outputs[i], differentiable) : SavedVariable());
      output_infos_.emplace_back(outputs[i]);
      differentiable_.push_back(differentiable);
    }
  }

  variable_list apply(variable_list&& given) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    TORCH_CHECK(!released_, torch::autograd::ERR_BACKWARD_TWICE);
    variable_list inputs, outputs, gradients;
    for (const SavedVariable& saved : inputs_) inputs.push_back(saved.unpack());
    for (const SavedVariable& saved : outputs_) outputs.push_back(saved.unpack(getptr()));
    size_t next = 0;
    for (size_t i = 0; i < output_infos_.size(); ++i) {
      at::OptionalDeviceGuard guard;
      const bool has = differentiable_[i] && given[next].defined();
      gradients.push_back(!differentiable_[i] ? at::Tensor() : has ? given[next] : output_infos_[i].zeros(guard));
      if (differentiable_[i]) ++next;
    }
    std::vector<bool> wanted;
    for (size_t i = 0; i < inputs_.size(); ++i) wanted.push_back(task_should_compute_output(i));
    return gradient_->Compute(inputs, outputs, gradients, wanted);
  }

  void release_variables() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    released_ = true;
    for (SavedVariable& saved : inputs_) saved.reset_data();
    for (SavedVariable& saved : outputs_) saved.reset_data();
  }

  std::string name() const override { return name_; }

 private:
  const std::string name_;
  const std::shared_ptr<const Gradient> gradient_;
  std::vector<SavedVariable> inputs_, outputs_;
  std::vector<VariableInfo> input_infos_, output_infos_;
  std::vector<bool> differentiable_;  // by output
  bool released_ = false;
};

// A call of an op whose plugin declares no gradient.
class NoBackward : public torch::autograd::Node {
 public:
  NoBackward(std::string name, std::string why) : name_(std::move(name)), why_(std::move(why)) {}
  variable_list apply(variable_list&&) override { Raise(OPSRUN_UNIMPLEMENTED, why_); }
  std::string name() const override { return "Opsrun" + name_ + "NotDifferentiable"; }

 private:
  const std::string name_, why_;
};

bool NeedsRecord(const at::Tensor& tensor) {
  return tensor.defined() && tensor.requires_grad();
}
bool HasTangent(const at::Tensor& tensor) {
  return tensor.defined() && tensor.unsafeGetTensorImpl()->autograd_meta() != nullptr &&
         torch::autograd::isFwGradDefined(tensor);
}

}  // namespace

void AutogradKernel::operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const c10::ArrayRef<c10::IValue> inputs = op_->InputsOn(*stack);
  if (AnyTensor(inputs, HasTangent)) {
    Raise(OPSRUN_UNIMPLEMENTED, op_->spec().torch_name + " has no forward-mode derivative: use reverse mode");
  }
  if (op_->has_tensor_attrs()) CheckAttrs(*stack);
  if (!c10::GradMode::is_enabled() || !AnyTensor(inputs, NeedsRecord)) return CallBelow(handle, keys, *stack);
  Record(handle, keys, *stack, TensorsOf(inputs));
}

// Attrs are constants, so tensors in them must not require gradients.
void AutogradKernel::CheckAttrs(const torch::jit::Stack& stack) const {
  const c10::ArrayRef<c10::IValue> attrs = op_->AttrsOn(stack);
  const bool records = c10::GradMode::is_enabled();
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (!AnyTensor(attrs[i], [&](const at::Tensor& t) { return (records && NeedsRecord(t)) || HasTangent(t); }))
      continue;
    Raise(OPSRUN_INVALID_ARGUMENT, op_->spec().torch_name + ": attr '" + op_->spec().attrs[i].name +
                                       "' requires a gradient, but an attr is a constant; use .detach()");
  }
}

// Skips a second dispatch if only the CPU kernel is left.
void AutogradKernel::CallBelow(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack& stack) {
  const c10::DispatchKeySet below = keys & c10::after_autograd_keyset;
  if ((below & c10::after_ADInplaceOrView_keyset).highestPriorityTypeId() == c10::DispatchKey::CPU) {
    return op_->Compute(stack);
  }
  const at::AutoDispatchBelowADInplaceOrView guard;
  handle.redispatchBoxed(below, &stack);
}

void AutogradKernel::Record(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack& stack,
                            const variable_list& inputs) {
  if (!op_->CanReadAttrs(stack)) {
    CallBelow(handle, keys, stack);  // reports an error if a trace cannot contain this call
    Raise(OPSRUN_UNIMPLEMENTED, op_->spec().torch_name + " cannot be differentiated in a trace: an attr is a tensor");
  }
  const std::shared_ptr<const TypedOp> typed = op_->FindForCall(stack);
  const opsrun_typed_op_info& info = typed->info();
  const size_t begin = stack.size() - op_->n_arguments();
  if (info.gradient == OPSRUN_GRADIENT_NOT_NEEDED) return CallBelow(handle, keys, stack);
  c10::intrusive_ptr<torch::autograd::Node> node;
  Backward* backward = nullptr;
  if (info.gradient == OPSRUN_GRADIENT_NONE) {
    node = c10::make_intrusive<NoBackward>(
        Text(info.name), op_->spec().torch_name + " is not differentiable: op '" + Text(info.name) + "' of plugin '" +
                             Text(info.plugin) +
                             "' declares no gradient; use .detach() on its inputs if it needs none");
  } else {
    auto made = c10::make_intrusive<Backward>(Text(info.name), typed->gradients().For(*typed, inputs, find_));
    backward = made.get();
    node = std::move(made);
  }
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  CallBelow(handle, keys, stack);
  const variable_list outputs = TensorsOf(c10::ArrayRef<c10::IValue>(stack).slice(begin));
  for (const at::Tensor& output : outputs) {
    if (IsDifferentiable(output)) torch::autograd::set_history(output, node);
  }
  if (backward != nullptr) backward->Save(inputs, outputs);
}

}  // namespace opsrun_torch

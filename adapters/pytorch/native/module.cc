// adapters/pytorch/native/module.cc: registers ops with PyTorch, and has the functions that Python calls.
// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/boxing/KernelFunction.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable_info.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>
#include <torch/version.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "adapters/common/call.h"
#include "adapters/common/engine.h"
#include "call.h"
#include "gradient.h"
#include "op.h"
#include "values.h"

namespace opsrun_torch {
namespace {

namespace py = pybind11;
using opsrun_adapter::Engine;
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

// The kernel that PyTorch calls before all others, to record an op's gradient: for its dispatch key Autograd.
class AutogradKernel : public c10::OperatorKernel {
 public:
  AutogradKernel(std::shared_ptr<Op> op, FindOperator find) : op_(std::move(op)), find_(std::move(find)) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack);

 private:
  void CheckAttrs(const torch::jit::Stack& stack) const;
  void CallBelow(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack& stack);
  void Record(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack& stack,
              const std::vector<at::Tensor>& inputs);

  const std::shared_ptr<Op> op_;
  const FindOperator find_;
};

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

class ComputeKernel : public c10::OperatorKernel {
 public:
  explicit ComputeKernel(std::shared_ptr<Op> op) : op_(std::move(op)) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) { op_->Compute(*stack); }

 private:
  const std::shared_ptr<Op> op_;
};

// inputs: name, and whether it is a list; attrs: name and type.
std::shared_ptr<Op> MakeOp(const Engine& engine, std::string name, std::string torch_name,
                           const std::vector<std::pair<std::string, bool>>& inputs,
                           const std::vector<std::pair<std::string, std::string>>& attrs) {
  OpSpec spec{std::move(name), std::move(torch_name), {}, {}};
  for (const auto& [arg, list] : inputs) spec.inputs.push_back({arg, list});
  for (const auto& [attr, type] : attrs) spec.attrs.push_back({attr, type});
  return std::make_shared<Op>(engine, std::move(spec));
}

// A callback into Python, for threads that do not hold the GIL.
FindOperator OperatorFinder(py::function find) {
  // Never freed, since PyTorch's operators may outlive the Python interpreter.
  auto* const kept = new py::function(std::move(find));
  return [kept](const std::string& plugin, const std::string& op) {
    const py::gil_scoped_acquire lock;
    return py::cast<std::string>((*kept)(plugin, op));
  };
}

template <typename Kernel, typename... Args>
void Register(torch::Library& library, const std::string& name, c10::DispatchKey key, Args&&... args) {
  library.impl(name.c_str(), torch::dispatch(key, torch::CppFunction::makeFromBoxedFunctor(
                                                      std::make_unique<Kernel>(std::forward<Args>(args)...))));
}

// Registers the kernel and the gradient of an operator that is already defined. find: see FindOperator.
void Implement(const std::shared_ptr<Op>& op, py::function find) {
  const std::string& full = op->spec().torch_name;
  const size_t colon = full.find("::");
  const std::string name = full.substr(colon + 2);
  // The registration lives as long as the process.
  auto* const library =
      new torch::Library(torch::Library::IMPL, full.substr(0, colon), std::nullopt, __FILE__, __LINE__);
  // Registered for all devices and layouts, so that tensors that are not dense or not on the CPU get an error message.
  Register<ComputeKernel>(*library, name, c10::DispatchKey::CompositeExplicitAutograd, op);
  Register<AutogradKernel>(*library, name, c10::DispatchKey::Autograd, op, OperatorFinder(std::move(find)));
}

}  // namespace

PYBIND11_MODULE(_native, m) {
  m.attr("TORCH_VERSION") = TORCH_VERSION;
  m.attr("OPSRUN_VERSION") = OPSRUN_VERSION;
  py::class_<Op, std::shared_ptr<Op>>(m, "Op").def("implement", &Implement).def("infer", &Infer);
  py::class_<Engine>(m, "Engine")
      .def(py::init([](const std::vector<std::string>& directories) {
        return Engine(directories, opsrun_adapter::HostTable<Call>::Make);
      }))
      .def("add_plugin", &Engine::AddPlugin, py::call_guard<py::gil_scoped_release>())
      .def("plugins", &Engine::Plugins)
      .def("describe", &Engine::Describe, py::call_guard<py::gil_scoped_release>())
      .def("make_op", &MakeOp);
}

}  // namespace opsrun_torch

// adapters/pytorch/native/module.cc: the functions that the Python part of the adapter calls.
// SPDX-License-Identifier: Apache-2.0
#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>
#include <torch/version.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "adapters/common/engine.h"
#include "adapters/common/host_table.h"
#include "autograd.h"
#include "call.h"
#include "errors.h"
#include "infer.h"
#include "op.h"

namespace opsrun_torch {
namespace {

namespace py = pybind11;
using opsrun_adapter::Engine;

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

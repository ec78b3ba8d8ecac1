// adapters/pytorch/native/module.cc: what the Python part of the adapter calls.
// SPDX-License-Identifier: Apache-2.0
#include <torch/csrc/jit/python/pybind_utils.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>
#include <torch/version.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "autograd.h"
#include "call.h"
#include "errors.h"
#include "infer.h"
#include "op.h"

namespace opsrun_torch {
namespace {

namespace py = pybind11;

// A kernel for PyTorch's dispatcher.
class ComputeKernel : public c10::OperatorKernel {
 public:
  explicit ComputeKernel(std::shared_ptr<Op> op) : op_(std::move(op)) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) { op_->Compute(*stack); }

 private:
  const std::shared_ptr<Op> op_;
};

class Engine {
 public:
  explicit Engine(const std::vector<std::string>& directories) {
    std::vector<opsrun_str> plugins;
    for (const std::string& directory : directories) plugins.push_back(Str(directory));
    opsrun_engine_options options{};
    options.size = sizeof(options);
    options.plugins = plugins.data();
    options.n_plugins = static_cast<uint32_t>(plugins.size());
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_create(&options, &host_.engine, &report);
    Check(code, report, "opsrun");
    host_.table = MakeTable(opsrun_engine_host(host_.engine));
  }

  void AddPlugin(const std::string& path) {
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_add_plugin(host_.engine, Str(path), &report);
    Check(code, report, "opsrun");
  }

  // (name, path, ops) of all plugins that are in use.
  std::vector<std::tuple<std::string, std::string, std::vector<std::string>>> Plugins() const {
    opsrun_listing* listing = nullptr;
    Check(opsrun_engine_list(host_.engine, &listing), nullptr, "opsrun");
    std::vector<std::tuple<std::string, std::string, std::vector<std::string>>> plugins;
    for (uint32_t i = 0; i < opsrun_listing_count(listing); ++i) {
      const opsrun_plugin_info& info = *opsrun_listing_get(listing, i);
      if (info.state != OPSRUN_PLUGIN_OK) continue;
      std::vector<std::string> ops;
      for (uint32_t k = 0; k < info.n_ops; ++k) ops.push_back(Text(info.ops[k]));
      plugins.emplace_back(Text(info.name), Text(info.path), std::move(ops));
    }
    opsrun_listing_free(listing);
    return plugins;
  }

  // What `opsrun explain --json` prints.
  std::string Describe(const std::string& op) const {
    const opsrun_op_info* info = nullptr;
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_find_op(host_.engine, Str(op), &info, &report);
    Check(code, report, "opsrun");
    std::string json = Text(info->json);
    opsrun_op_info_free(info);
    return json;
  }

  std::shared_ptr<Op> MakeOp(std::string name, std::string torch_name,
                             const std::vector<std::pair<std::string, bool>>& inputs,
                             const std::vector<std::pair<std::string, bool>>& outputs,
                             const std::vector<std::pair<std::string, std::string>>& attrs) const {
    OpSpec spec{std::move(name), std::move(torch_name), {}, {}, {}};
    for (const auto& [arg, list] : inputs) spec.inputs.push_back({arg, list});
    for (const auto& [arg, list] : outputs) spec.outputs.push_back({arg, list});
    for (const auto& [attr, type] : attrs) spec.attrs.push_back({attr, type});
    return std::make_shared<Op>(host_, std::move(spec));
  }

 private:
  Host host_;
};

// The callback into Python, for threads that do not hold its lock.
FindOperator OperatorFinder(py::function find) {
  // Lives as long as the process: Python may end before PyTorch's operators do.
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

// Registers what runs and differentiates the op, for an operator that is defined already. find: see FindOperator.
void Implement(const std::shared_ptr<Op>& op, py::function find) {
  const std::string& full = op->spec().torch_name;
  const size_t colon = full.find("::");
  const std::string name = full.substr(colon + 2);
  // The registration lives as long as the process.
  auto* const library =
      new torch::Library(torch::Library::IMPL, full.substr(0, colon), std::nullopt, __FILE__, __LINE__);
  // For all devices and layouts: what is not dense and on the CPU gets a message.
  Register<ComputeKernel>(*library, name, c10::DispatchKey::CompositeExplicitAutograd, op);
  Register<AutogradKernel>(*library, name, c10::DispatchKey::Autograd, op, OperatorFinder(std::move(find)));
}

using Sizes = std::pair<std::vector<int64_t>, std::vector<uint32_t>>;
using Input = std::tuple<c10::ScalarType, Sizes, std::optional<at::Tensor>, std::optional<Sizes>>;

// In Python: (sizes as (kind, value, a, b), outputs as (type, shape, as_shape), pairs of equal sizes, outputs by
// argument).
py::tuple InferShapes(Op& op, const std::vector<Input>& inputs, const std::vector<uint32_t>& counts,
                      const py::list& attrs) {
  std::vector<KnownInput> known;
  for (const auto& [type, shape, value, as_shape] : inputs) {
    known.push_back({type, {shape.first, shape.second}, value, std::nullopt});
    if (as_shape) known.back().as_shape = KnownSizes{as_shape->first, as_shape->second};
  }
  const c10::OperatorHandle handle = c10::Dispatcher::singleton().findSchemaOrThrow(op.spec().torch_name.c_str(), "");
  std::vector<c10::IValue> values;
  for (size_t i = 0; i < attrs.size(); ++i) {
    values.push_back(torch::jit::toIValue(attrs[i], handle.schema().arguments()[op.spec().inputs.size() + i].type()));
  }
  const Inferred inferred = Infer(op, known, counts, std::move(values));
  py::list sizes, outputs, equal;
  for (const opsrun_size& size : inferred.sizes) sizes.append(py::make_tuple(size.kind, size.value, size.a, size.b));
  for (const InferredOutput& output : inferred.outputs) {
    outputs.append(py::make_tuple(output.type, output.shape, output.as_shape));
  }
  for (size_t i = 0; i < inferred.equal.size(); i += 2) {
    equal.append(py::make_tuple(inferred.equal[i], inferred.equal[i + 1]));
  }
  return py::make_tuple(sizes, outputs, equal, inferred.counts);
}

}  // namespace

PYBIND11_MODULE(_native, m) {
  m.attr("TORCH_VERSION") = TORCH_VERSION;
  py::class_<Op, std::shared_ptr<Op>>(m, "Op").def("implement", &Implement).def("infer", &InferShapes);
  py::class_<Engine>(m, "Engine")
      .def(py::init<const std::vector<std::string>&>())
      .def("add_plugin", &Engine::AddPlugin, py::call_guard<py::gil_scoped_release>())
      .def("plugins", &Engine::Plugins)
      .def("describe", &Engine::Describe, py::call_guard<py::gil_scoped_release>())
      .def("make_op", &Engine::MakeOp);
}

}  // namespace opsrun_torch

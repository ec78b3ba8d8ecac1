// adapters/pytorch/native/module.cc: what the Python part of the adapter calls.
// SPDX-License-Identifier: Apache-2.0
#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "call.h"
#include "errors.h"
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
    Check(opsrun_engine_create(&options, &host_.engine, &report), report, "opsrun");
    host_.table = MakeTable(opsrun_engine_host(host_.engine));
  }

  void AddPlugin(const std::string& path) {
    opsrun_report* report = nullptr;
    Check(opsrun_engine_add_plugin(host_.engine, Str(path), &report), report, "opsrun");
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
    Check(opsrun_engine_find_op(host_.engine, Str(op), &info, &report), report, "opsrun");
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

// Registers what runs the op, for an operator that is defined already.
void Implement(const std::shared_ptr<Op>& op) {
  const std::string& full = op->spec().torch_name;
  const size_t colon = full.find("::");
  // The registration lives as long as the process.
  auto* const library = new torch::Library(torch::Library::IMPL, full.substr(0, colon), std::nullopt, __FILE__, __LINE__);
  const std::string name = full.substr(colon + 2);
  // On every device: what is not on the CPU gets a message.
  library->impl(name.c_str(), torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd,
                                              torch::CppFunction::makeFromBoxedFunctor(
                                                  std::make_unique<ComputeKernel>(op))));
}

}  // namespace

PYBIND11_MODULE(_native, m) {
  py::class_<Op, std::shared_ptr<Op>>(m, "Op").def("implement", &Implement);
  py::class_<Engine>(m, "Engine")
      .def(py::init<const std::vector<std::string>&>())
      .def("add_plugin", &Engine::AddPlugin, py::call_guard<py::gil_scoped_release>())
      .def("plugins", &Engine::Plugins)
      .def("describe", &Engine::Describe, py::call_guard<py::gil_scoped_release>())
      .def("make_op", &Engine::MakeOp);
}

}  // namespace opsrun_torch

// adapters/tensorflow/native/module.cc: the functions that the Python part of the adapter calls.
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "adapters/common/engine.h"
#include "call.h"
#include "gradient.h"
#include "infer.h"
#include "register.h"

namespace opsrun_tf {
namespace {

namespace py = pybind11;
using opsrun_adapter::Engine;
using opsrun_adapter::Failure;

Op* Register(const Engine& engine, const std::string& name, const py::bytes& def) {
  const std::string bytes = def;
  const py::gil_scoped_release release;
  return const_cast<Op*>(&RegisterOp(engine, name, bytes));
}

// Raises TensorFlow's exception for the code.
void RaiseFailure(const Failure& failure) {
  const py::object errors = py::module_::import("tensorflow").attr("compat").attr("v1").attr("errors");
  const py::object error =
      errors.attr("exception_type_from_error_code")(failure.code)(py::none(), py::none(), failure.what());
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
}

}  // namespace

PYBIND11_MODULE(_native, m) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      RaiseFailure(failure);
    }
  });
  py::class_<Engine>(m, "Engine")
      .def(py::init([](const std::vector<std::string>& directories) { return Engine(directories, MakeTable); }),
           py::call_guard<py::gil_scoped_release>())
      .def("add_plugin", &Engine::AddPlugin, py::call_guard<py::gil_scoped_release>())
      .def("plugins", &Engine::Plugins)
      .def("describe", &Engine::Describe, py::call_guard<py::gil_scoped_release>());
  // Ops live as long as the process.
  py::class_<Op, std::unique_ptr<Op, py::nodelete>>(m, "Op")
      .def("gradient", [](const Op& op, const py::bytes& node_def,
                          const std::optional<KnownShapes>& shapes) { return GradientOf(op, node_def, shapes); })
      .def("infer", [](const Op& op, const py::bytes& node_def, const std::vector<std::pair<Sizes, Sizes>>& inputs,
                       const py::function& value_of) { return InferOutputs(op, node_def, inputs, value_of); });
  m.attr("TF_VERSION") = OPSRUN_TF_VERSION;
  m.attr("OPSRUN_VERSION") = OPSRUN_VERSION;
  m.def("register_op", &Register, py::return_value_policy::reference);
}

}  // namespace opsrun_tf

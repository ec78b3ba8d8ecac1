// adapters/jax/native/module.cc: the functions that the Python part of the adapter calls.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "adapters/common/engine.h"
#include "gradient.h"
#include "handler.h"
#include "infer.h"
#include "typed_op.h"

namespace opsrun_jax {
namespace {

namespace nb = nanobind;
using opsrun_adapter::Engine;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// Raises the exceptions of opsrun's Python package.
void RaiseFailure(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const opsrun_adapter::Failure& failure) {
    const nb::object error =
        nb::module_::import_("opsrun.errors").attr("make_error")(failure.code, failure.what(), nb::list());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  }
}

// Name, whether it is a list, and number of tensors, for each argument.
std::vector<std::tuple<std::string, bool, uint32_t>> Arguments(const opsrun_arg* args, uint32_t n) {
  std::vector<std::tuple<std::string, bool, uint32_t>> arguments;
  for (uint32_t i = 0; i < n; ++i) {
    arguments.emplace_back(opsrun_adapter::Text(args[i].name), (args[i].flags & OPSRUN_ARG_LIST) != 0, args[i].count);
  }
  return arguments;
}

nb::capsule Handler(XLA_FFI_Handler* handler) {
  return nb::capsule(reinterpret_cast<const void*>(handler));
}

}  // namespace

NB_MODULE(_native, m) {
  nb::register_exception_translator(RaiseFailure);
  m.attr("OPSRUN_VERSION") = OPSRUN_VERSION;
  m.attr("instantiate") = Handler(Instantiate);
  m.attr("execute") = Handler(Execute);
  nb::class_<Engine>(m, "Engine")
      .def("add_plugin", &Engine::AddPlugin, Unlocked())
      .def("plugins", &Engine::Plugins)
      .def("describe", &Engine::Describe, Unlocked());
  m.def("engine", &TheEngine, nb::rv_policy::copy);
  nb::class_<TypedOp>(m, "TypedOp")
      .def_prop_ro("name", &TypedOp::name)
      .def_prop_ro("stateful", [](const TypedOp& op) { return (op.info().flags & OPSRUN_OP_STATEFUL) != 0; })
      .def_prop_ro("has_shape_function", [](const TypedOp& op) { return op.info().has_shape_function != 0; })
      .def_prop_ro("gradient", [](const TypedOp& op) { return op.info().gradient; })
      .def_prop_ro("out_types",
                   [](const TypedOp& op) {
                     return std::vector<int32_t>(op.info().out_types, op.info().out_types + op.info().n_out);
                   })
      .def_prop_ro("in_types",
                   [](const TypedOp& op) {
                     return std::vector<int32_t>(op.info().in_types, op.info().in_types + op.info().n_in);
                   })
      .def_prop_ro("outputs", [](const TypedOp& op) { return Arguments(op.info().out_args, op.info().n_out_args); })
      .def(
          "make_kernel", [](const TypedOp& op) { op.kernel(); }, Unlocked())
      .def("infer", &Infer)
      .def("differentiate", &Differentiate);
  m.def(
      "find_op",
      [](const std::string& name, const std::string& call) {
        return std::const_pointer_cast<TypedOp>(TypedOp::Find(call, name));
      },
      Unlocked());
}

}  // namespace opsrun_jax

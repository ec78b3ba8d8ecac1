// adapters/jax/native/module.cc: the functions that XLA calls, and those that the Python part of the adapter calls.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "adapters/common/engine.h"
#include "call.h"
#include "device_call.h"
#include "op.h"
#include "xla_api.h"

namespace opsrun_jax {
namespace {

namespace nb = nanobind;
using opsrun_adapter::Blame;
using opsrun_adapter::Engine;
using opsrun_adapter::Failure;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// What XLA stores with each call of a program is the op, which it holds.
XlaApi ApiOf(const XLA_FFI_CallFrame& frame) {
  return {frame.api, [](void* op) { static_cast<const TypedOp*>(op)->Drop(); }};
}

XLA_FFI_Error* MakeError(const XLA_FFI_Api& api, int32_t code, const std::string& text) {
  const bool known = code > 0 && code <= OPSRUN_UNAUTHENTICATED;
  XLA_FFI_Error_Create_Args args{XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, text.c_str(),
                                 known ? static_cast<XLA_FFI_Error_Code>(code) : XLA_FFI_Error_Code_UNKNOWN};
  return api.XLA_FFI_Error_Create(&args);
}

bool IsQuestion(const XLA_FFI_CallFrame& frame) {
  return frame.extension_start != nullptr && frame.extension_start->type == XLA_FFI_Extension_Metadata;
}

XLA_FFI_Error* Answer(const XLA_FFI_CallFrame& frame) {
  return ApiOf(frame).Answer(*reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame.extension_start)->metadata, 0);
}

std::string TextOfCall(const XLA_FFI_Attrs& attrs) {
  if (attrs.size != 1 || attrs.types[0] != XLA_FFI_AttrType_STRING) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "a call of an op has other attributes than opsrun.jax gives it");
  }
  const auto& text = *static_cast<const XLA_FFI_ByteSpan*>(attrs.attrs[0]);
  return {text.ptr, text.len};
}

XLA_FFI_Error* SetState(const XLA_FFI_CallFrame& frame, bool on_cpu) {
  const std::shared_ptr<const TypedOp> op = TypedOp::Find(TextOfCall(frame.attrs), "an op in a program of XLA");
  if (on_cpu) op->kernel();
  op->Hold();
  XLA_FFI_Error* const error = ApiOf(frame).SetState(frame.ctx, const_cast<TypedOp*>(op.get()));
  if (error != nullptr) op->Drop();
  return error;
}

// "zero_out.ZeroOut, attr preserve_index: ..."
std::string Message(const std::string& op, const Call& call) {
  return op + (call.subject().empty() ? "" : ", " + Blame(call.subject())) + ": " + call.text();
}

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

// The numbers of dimensions that the op works on, of inputs and outputs, and whether those of a batch are broadcast.
std::optional<std::tuple<std::vector<uint32_t>, std::vector<uint32_t>, bool>> Batch(const TypedOp& op) {
  const opsrun_typed_op_info& info = op.info();
  if (info.in_dims == nullptr) return std::nullopt;
  return std::tuple(std::vector(info.in_dims, info.in_dims + info.n_in),
                    std::vector(info.out_dims, info.out_dims + info.n_out), (info.flags & OPSRUN_OP_BROADCASTS) != 0);
}

// What `run` returns, or an error for what it throws.
template <typename Run>
XLA_FFI_Error* Guard(const XLA_FFI_CallFrame& frame, Run run) {
  try {
    return run();
  } catch (const Failure& failure) {
    return MakeError(*frame.api, failure.code, failure.what());
  } catch (const std::exception& problem) {
    return MakeError(*frame.api, OPSRUN_RESOURCE_EXHAUSTED, problem.what());
  }
}

// One pair of functions for each platform serves all ops. This one runs when a program is compiled: it finds the op by
// the attribute "op" of the call, its text, and returns it to XLA, which keeps it with the program.
template <bool on_cpu>
XLA_FFI_Error* Instantiate(XLA_FFI_CallFrame* frame) {
  if (IsQuestion(*frame)) return Answer(*frame);
  return Guard(*frame, [&] { return SetState(*frame, on_cpu); });
}

[[gnu::cold, gnu::noinline]] XLA_FFI_Error* ErrorOf(const Call& call, int32_t code, const TypedOp& op,
                                                    const XLA_FFI_CallFrame& frame) {
  return MakeError(*frame.api, code, Message(op.name(), call));
}

// Runs it.
XLA_FFI_Error* Execute(XLA_FFI_CallFrame* frame) {
  if (IsQuestion(*frame)) return Answer(*frame);
  void* kept = nullptr;
  if (XLA_FFI_Error* const error = ApiOf(*frame).GetState(frame->ctx, kept)) return error;
  const TypedOp& op = *static_cast<const TypedOp*>(kept);
  return Guard(*frame, [&] {
    Call call(op.table(), op, op.made_kernel(), *frame);
    const int32_t code = call.Run();
    return code == OPSRUN_OK ? nullptr : ErrorOf(call, code, op, *frame);
  });
}

XLA_FFI_Error* ExecuteOnCard(XLA_FFI_CallFrame* frame) {
  if (IsQuestion(*frame)) return Answer(*frame);
  void* kept = nullptr;
  XLA_FFI_Stream_Get_Args stream{XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, frame->ctx, nullptr};
  XLA_FFI_DeviceOrdinal_Get_Args card{XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE, nullptr, frame->ctx, 0};
  XLA_FFI_Error* error = ApiOf(*frame).GetState(frame->ctx, kept);
  if (error == nullptr) error = frame->api->XLA_FFI_Stream_Get(&stream);
  if (error == nullptr) error = frame->api->XLA_FFI_DeviceOrdinal_Get(&card);
  if (error != nullptr) return error;
  const TypedOp& op = *static_cast<const TypedOp*>(kept);
  return Guard(*frame, [&] {
    static const opsrun_host* const table = TheEngine().MakeTable(opsrun_adapter::HostTable<DeviceCall>::Make);
    DeviceCall call(table, op, *op.kernel_on(card.device_ordinal), *frame, card.device_ordinal, stream.stream);
    const int32_t code = call.Run();
    return code == OPSRUN_OK ? nullptr : ErrorOf(call, code, op, *frame);
  });
}

nb::capsule Handler(XLA_FFI_Handler* handler) {
  return nb::capsule(reinterpret_cast<const void*>(handler));
}

}  // namespace

NB_MODULE(_native, m) {
  nb::register_exception_translator(RaiseFailure);
  m.attr("OPSRUN_VERSION") = OPSRUN_VERSION;
  m.attr("instantiate") = Handler(Instantiate<true>);
  m.attr("execute") = Handler(Execute);
  m.attr("instantiate_on_card") = Handler(Instantiate<false>);
  m.attr("execute_on_card") = Handler(ExecuteOnCard);
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
      .def_prop_ro("batch", Batch)
      .def_prop_ro("outputs", [](const TypedOp& op) { return Arguments(op.info().out_args, op.info().n_out_args); })
      .def("check_kernel", &TypedOp::CheckKernel, Unlocked())
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

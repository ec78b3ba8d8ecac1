// host/embed/typed_op.cc: ops and kernel objects for programs that run kernels themselves.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "host/base/plugin_code.h"
#include "host/embed/calls.h"
#include "host/embed/guard.h"
#include "host/embed/objects.h"
#include "host/embed/report.h"
#include "host/run/host_table.h"

using namespace opsrun::host;

namespace {

// False after errors. Input shapes are not known yet.
bool ReadTypes(std::span<const opsrun_op_input> inputs, std::vector<OpInput>& list, Diagnostics& diagnostics) {
  for (const opsrun_op_input& input : inputs) {
    if (input.list == OPSRUN_LIST_EMPTY) {
      list.push_back({TextOf(input.arg), true, {}, true});
      continue;
    }
    const DType dtype = DTypeFromNumber(input.dtype);
    std::optional<int64_t> elements;
    const Status status = dtype == DType::kResource ? OkStatus() : CheckType(dtype, 0, nullptr, &elements);
    if (!status.ok()) ReportInput(fmt::format("input '{}'", TextOf(input.arg)), status, diagnostics);
    list.push_back({TextOf(input.arg), input.list != 0, {dtype, {}}});
  }
  return !diagnostics.has_errors();
}

int32_t Take(std::shared_ptr<const TypedOp> made, Diagnostics diagnostics,
             const std::shared_ptr<const SourceFile>& source, opsrun_typed_op** typed, opsrun_report** report) {
  const int32_t code = Report(std::move(diagnostics), source, report);
  if (code == OPSRUN_OK) *typed = new opsrun_typed_op(std::move(made));
  return code;
}

uint32_t GradientKindOf(const RegisteredOp& op) {
  if ((op.def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0) return OPSRUN_GRADIENT_NOT_NEEDED;
  return op.gradient.empty() ? OPSRUN_GRADIENT_NONE : OPSRUN_GRADIENT_DECLARED;
}

void Describe(const KernelObject& kernel, opsrun_kernel_object_info& info) {
  info.size = sizeof(info);
  info.flags = kernel.kernel().flags;
  info.compute = kernel.kernel().compute;
  info.object = kernel.object();
  info.in_args = kernel.arrays().in_args().data();
  info.out_args = kernel.arrays().out_args().data();
  info.n_in_args = static_cast<uint32_t>(kernel.arrays().in_args().size());
  info.n_out_args = static_cast<uint32_t>(kernel.arrays().out_args().size());
  info.device = StrOf(kernel.device());
}

ResourceKey KeyOf(const opsrun_kernel_object& object, opsrun_str container, opsrun_str name, opsrun_str type) {
  return {object.kernel->kernel().plugin, TextOf(container), TextOf(name), TextOf(type)};
}

// Creates a plugin's object, which may throw.
struct Maker {
  int32_t (*make)(void*, void**);
  void* ctx;

  static int32_t Run(void* maker, void** object) {
    const Maker& it = *static_cast<Maker*>(maker);
    int32_t code = OPSRUN_OK;
    const std::optional<Thrown> thrown = CatchThrown([&] { code = it.make(it.ctx, object); });
    return !thrown ? code : thrown->out_of_memory ? OPSRUN_RESOURCE_EXHAUSTED : OPSRUN_INTERNAL;
  }
};

}  // namespace

opsrun_typed_op::opsrun_typed_op(std::shared_ptr<const TypedOp> typed) : op(std::move(typed)) {
  const spec::Signature& signature = op->signature();
  for (const DType dtype : signature.in_types) types.push_back(DTypeNumber(dtype));
  for (const DType dtype : signature.out_types) types.push_back(DTypeNumber(dtype));
  info.size = sizeof(info);
  info.flags = op->op().def.flags;
  info.name = StrOf(op->op().def.name);
  info.plugin = StrOf(op->op().plugin->name);
  op->arrays().Fill(info);
  info.in_types = types.data();
  info.out_types = types.data() + signature.in_types.size();
  info.n_in = static_cast<uint32_t>(signature.in_types.size());
  info.n_out = static_cast<uint32_t>(signature.out_types.size());
  info.has_shape_function = op->op().shape != nullptr ? 1 : 0;
  info.gradient = GradientKindOf(op->op());
}

extern "C" {

const opsrun_host* opsrun_engine_host(const opsrun_engine* engine) {
  return engine == nullptr ? nullptr : engine->engine->host();
}

int32_t opsrun_engine_type_op(opsrun_engine* engine, opsrun_str op, const opsrun_op_input* inputs, uint32_t n_inputs,
                              const opsrun_attr* attrs, uint32_t n_attrs, opsrun_typed_op** typed,
                              opsrun_report** report) {
  *typed = nullptr;
  return Guarded(engine, report, [&] {
    Diagnostics diagnostics;
    std::shared_ptr<const SourceFile> source;
    const std::span<const opsrun_attr> given = ListOf(attrs, n_attrs);
    std::vector<OpInput> types;
    std::shared_ptr<const TypedOp> made;
    if (ReadTypes(ListOf(inputs, n_inputs), types, diagnostics)) {
      made = TypedOp::Create(engine->engine, TextOf(op), types, {given.begin(), given.end()}, diagnostics, &source);
    }
    return Take(std::move(made), std::move(diagnostics), source, typed, report);
  });
}

int32_t opsrun_engine_read_op(opsrun_engine* engine, opsrun_str yaml, opsrun_typed_op** typed, opsrun_report** report) {
  *typed = nullptr;
  return Guarded(engine, report, [&] {
    Diagnostics diagnostics;
    std::shared_ptr<const SourceFile> source;
    std::shared_ptr<const TypedOp> made = TypedOp::Read(*engine->engine, TextOf(yaml), diagnostics, &source);
    return Take(std::move(made), std::move(diagnostics), source, typed, report);
  });
}

int32_t opsrun_typed_op_to_yaml(const opsrun_typed_op* typed, opsrun_text** yaml) {
  *yaml = nullptr;
  return Guarded(typed, nullptr, [&]() -> int32_t {
    const std::vector<DType>& inputs = typed->op->signature().in_types;
    if (std::find(inputs.begin(), inputs.end(), DType::kResource) != inputs.end()) return OPSRUN_UNIMPLEMENTED;
    *yaml = new opsrun_text{typed->op->ToYaml()};
    return OPSRUN_OK;
  });
}

void opsrun_typed_op_destroy(opsrun_typed_op* typed) {
  delete typed;
}

const opsrun_typed_op_info* opsrun_typed_op_get(const opsrun_typed_op* typed) {
  return typed == nullptr ? nullptr : &typed->info;
}

int32_t opsrun_typed_op_make_kernel(const opsrun_typed_op* typed, opsrun_str device, opsrun_kernel_object** kernel,
                                    opsrun_report** report) {
  *kernel = nullptr;
  return Guarded(typed, report, [&] {
    Diagnostics diagnostics;
    std::shared_ptr<const SourceFile> source;
    auto made = std::make_unique<opsrun_kernel_object>();
    made->kernel = typed->op->MakeKernel(TextOf(device), diagnostics, &source);
    const int32_t code = Report(std::move(diagnostics), source, report);
    if (code != OPSRUN_OK) return code;
    Describe(*made->kernel, made->info);
    *kernel = made.release();
    return static_cast<int32_t>(OPSRUN_OK);
  });
}

void opsrun_kernel_object_destroy(opsrun_kernel_object* kernel) {
  delete kernel;
}

const opsrun_kernel_object_info* opsrun_kernel_object_get(const opsrun_kernel_object* kernel) {
  return kernel == nullptr ? nullptr : &kernel->info;
}

int32_t opsrun_kernel_object_resource(const opsrun_kernel_object* kernel, opsrun_str container, opsrun_str name,
                                      opsrun_str type, int32_t (*make)(void* ctx, void** obj), void* ctx,
                                      void (*destroy)(void* obj), const opsrun_resource** r) {
  return Guarded(kernel, nullptr, [&] {
    Engine& engine = kernel->kernel->engine();
    Maker maker{make, ctx};
    return engine.resources().FindOrMake(KeyOf(*kernel, container, name, type),
                                         {make == nullptr ? nullptr : Maker::Run, &maker, destroy},
                                         ShareHost(engine.host()), r);
  });
}

int32_t opsrun_kernel_object_resource_delete(const opsrun_kernel_object* kernel, opsrun_str container, opsrun_str name,
                                             opsrun_str type) {
  return Guarded(kernel, nullptr,
                 [&] { return kernel->kernel->engine().resources().Delete(KeyOf(*kernel, container, name, type)); });
}

}  // extern "C"

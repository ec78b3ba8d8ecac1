// host/embed/typed_op.cc: ops and kernel objects for programs that run kernels themselves.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/plugin_code.h"
#include "host/embed/objects.h"
#include "host/embed/report.h"
#include "host/run/host_table.h"

using namespace opsrun::host;

namespace {

uint32_t GradientKindOf(const RegisteredOp& op) {
  if ((op.def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0) return OPSRUN_GRADIENT_NOT_NEEDED;
  return op.gradient.empty() ? OPSRUN_GRADIENT_NONE : OPSRUN_GRADIENT_DECLARED;
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

opsrun_kernel_object::opsrun_kernel_object(std::shared_ptr<const KernelObject> made) : kernel(std::move(made)) {
  const CallArrays& arrays = kernel->arrays();
  info = {.size = sizeof(info),
          .flags = kernel->kernel().flags,
          .compute = kernel->kernel().compute,
          .object = kernel->object(),
          .in_args = arrays.in_args().data(),
          .out_args = arrays.out_args().data(),
          .n_in_args = CountOf(arrays.in_args()),
          .n_out_args = CountOf(arrays.out_args()),
          .device = StrOf(kernel->device())};
}

extern "C" {

const opsrun_host* opsrun_engine_host(const opsrun_engine* engine) {
  return engine == nullptr ? nullptr : engine->engine->host();
}

int32_t opsrun_engine_type_op(opsrun_engine* engine, opsrun_str op, const opsrun_op_input* inputs, uint32_t n_inputs,
                              const opsrun_attr* attrs, uint32_t n_attrs, opsrun_typed_op** typed,
                              opsrun_report** report) {
  return MakingWithReport(engine, typed, report, [&](Diagnostics& diagnostics, auto* source) {
    const std::span<const opsrun_attr> given = ListOf(attrs, n_attrs);
    const std::vector<OpInput> types = ReadInputs(ListOf(inputs, n_inputs), true, diagnostics);
    return diagnostics.has_errors()
               ? nullptr
               : TypedOp::Create(engine->engine, TextOf(op), types, {given.begin(), given.end()}, diagnostics, source);
  });
}

int32_t opsrun_engine_read_op(opsrun_engine* engine, opsrun_str yaml, opsrun_typed_op** typed, opsrun_report** report) {
  return MakingWithReport(engine, typed, report, [&](Diagnostics& diagnostics, auto* source) {
    return TypedOp::Read(*engine->engine, TextOf(yaml), diagnostics, source);
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
  return MakingWithReport(typed, kernel, report, [&](Diagnostics& diagnostics, auto* source) {
    return typed->op->MakeKernel(TextOf(device), diagnostics, source);
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

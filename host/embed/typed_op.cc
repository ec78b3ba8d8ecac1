// host/embed/typed_op.cc: ops and kernel objects for programs that run kernels themselves.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/plugin_code.h"
#include "host/embed/objects.h"
#include "host/run/host_table.h"

using namespace opsrun::host;

namespace {

uint32_t GradientKindOf(const RegisteredOp& op) {
  if ((op.def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0) return OPSRUN_GRADIENT_NOT_NEEDED;
  return op.gradient.empty() ? OPSRUN_GRADIENT_NONE : OPSRUN_GRADIENT_DECLARED;
}

// Adds those of an argument for each of its tensors.
void AddDims(const std::vector<uint32_t>& of_args, const std::vector<spec::ArgRange>& args, std::vector<uint32_t>& to) {
  for (size_t i = 0; i < args.size(); ++i) to.insert(to.end(), args[i].count, of_args[i]);
}

ResourceKey KeyOf(const opsrun_kernel_object& object, opsrun_str container, opsrun_str name, opsrun_str type) {
  return {object.kernel->kernel().plugin->identity(), TextOf(container), TextOf(name), TextOf(type)};
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
  if (const auto& batch = op->op().def.batch) {
    AddDims(batch->inputs, signature.in_args, dims);
    AddDims(batch->outputs, signature.out_args, dims);
    info.in_dims = dims.data();
    info.out_dims = dims.data() + info.n_in;
  }
}

opsrun_kernel_object::opsrun_kernel_object(std::shared_ptr<const KernelObject> made) : kernel(std::move(made)) {
  const CallArrays& arrays = kernel->arrays();
  info = {.size = sizeof(info),
          .flags = kernel->kernel().flags,
          .compute = kernel->kernel().compute,
          .object = kernel->object(),
          .in_args = arrays.args()->in.data(),
          .out_args = arrays.args()->out.data(),
          .n_in_args = CountOf(arrays.args()->in),
          .n_out_args = CountOf(arrays.args()->out),
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
    const OpCall call{
        TextOf(op), ReadInputs(ListOf(inputs, n_inputs), true, diagnostics), {given.begin(), given.end()}};
    return diagnostics.has_errors() ? nullptr : TypedOp::Create(*engine->engine, call, diagnostics, source);
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

int32_t opsrun_typed_op_make_kernel(const opsrun_typed_op* typed, const opsrun_prepare_options* options,
                                    opsrun_kernel_object** kernel, opsrun_report** report) {
  return MakingWithReport(typed, kernel, report, [&](Diagnostics& diagnostics, auto* source) {
    return typed->op->MakeKernel(WishOf(options), diagnostics, source);
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

// The gradient of one op.

struct opsrun_gradient {
  explicit opsrun_gradient(std::optional<OpGradient> found);

  OpGradient gradient;
  std::vector<std::unique_ptr<opsrun_typed_op>> ops;
  std::vector<opsrun_op_call> calls;
  std::vector<opsrun_array> constants;
  std::vector<opsrun_operand> of_inputs;
  std::vector<opsrun_slices> slices;
  std::deque<std::vector<opsrun_operand>> inputs;
  std::deque<std::vector<opsrun_tensor_info>> outputs;
  std::deque<Shape> sizes;
  opsrun_gradient_info info{};
};

namespace {

opsrun_operand OperandOf(const GradientOperand& operand) {
  return {static_cast<uint32_t>(operand.kind), operand.index, operand.output, 0};
}
static_assert(static_cast<uint32_t>(GradientOperand::Kind::kInput) == OPSRUN_OPERAND_INPUT);
static_assert(static_cast<uint32_t>(GradientOperand::Kind::kCall) == OPSRUN_OPERAND_CALL);

opsrun_tensor_info InfoOf(const ResolvedShape& shape, DType dtype, opsrun_gradient& into) {
  opsrun_tensor_info info{{nullptr, 0}, DTypeNumber(dtype), -1, nullptr};
  if (!shape.rank_known) return info;
  Shape& sizes = into.sizes.emplace_back();
  for (const ResolvedDim& dim : shape.dims) sizes.push_back(dim.size);
  info.rank = static_cast<int32_t>(sizes.size());
  info.shape = sizes.data();
  return info;
}

void AddCall(const GradientCall& call, opsrun_gradient& into) {
  std::vector<opsrun_operand>& inputs = into.inputs.emplace_back();
  for (const GradientOperand& input : call.inputs) inputs.push_back(OperandOf(input));
  std::vector<opsrun_tensor_info>& outputs = into.outputs.emplace_back();
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    outputs.push_back(InfoOf(call.outputs[i], call.op->signature().out_types[i], into));
  }
  into.ops.push_back(std::make_unique<opsrun_typed_op>(call.op));
  into.calls.push_back({into.ops.back().get(), inputs.data(), outputs.data()});
}

// Errors: the wrong number of inputs, or missing sizes.
std::vector<std::optional<Shape>> ReadShapes(const TypedOp& op, std::span<const opsrun_known_sizes> given,
                                             Diagnostics& diagnostics) {
  std::vector<std::optional<Shape>> shapes;
  const size_t wanted = op.signature().in_types.size();
  if (!given.empty() && given.size() != wanted) {
    diagnostics.Error("F305", fmt::format("got {} shapes, expected {}", given.size(), wanted))
        .help.push_back("give the shape of each input, or none");
  }
  for (const opsrun_known_sizes& shape : given) {
    RequireZero("opsrun_known_sizes.reserved", shape.reserved);
    if (shape.rank > OPSRUN_MAX_RANK || (shape.rank > 0 && shape.sizes == nullptr)) {
      ReportInput("a shape", InvalidArgument(fmt::format("rank {}, or no sizes", shape.rank)), diagnostics);
    } else {
      shapes.push_back(shape.rank < 0 ? std::nullopt : std::optional(Shape(shape.sizes, shape.sizes + shape.rank)));
    }
  }
  return shapes;
}

}  // namespace

opsrun_gradient::opsrun_gradient(std::optional<OpGradient> found) : gradient(*std::move(found)) {
  for (const GradientCall& call : gradient.calls) AddCall(call, *this);
  for (Tensor& constant : gradient.constants) {
    constants.push_back({constant.mutable_data(),
                         constant.shape().data(),
                         nullptr,
                         DTypeNumber(constant.dtype()),
                         static_cast<int32_t>(constant.shape().size()),
                         {OPSRUN_DEVICE_CPU, 0}});
  }
  for (const GradientOperand& operand : gradient.of_inputs) of_inputs.push_back(OperandOf(operand));
  for (const SlicesOperands& each : gradient.slices) {
    slices.push_back({OperandOf(each.values), OperandOf(each.indices), OperandOf(each.axis), each.batch_dims,
                      each.vectors ? 1u : 0u, 0});
  }
  info = {sizeof(info), CountOf(calls),   CountOf(constants), CountOf(of_inputs),
          calls.data(), constants.data(), of_inputs.data(),   slices.data()};
}

extern "C" {

int32_t opsrun_typed_op_differentiate(const opsrun_typed_op* typed, const opsrun_known_sizes* shapes, uint32_t n_inputs,
                                      opsrun_gradient** gradient, opsrun_report** report) {
  return MakingWithReport(typed, gradient, report, [&](Diagnostics& diagnostics, auto* source) {
    const std::vector<std::optional<Shape>> known = ReadShapes(*typed->op, ListOf(shapes, n_inputs), diagnostics);
    return diagnostics.has_errors() ? std::nullopt : DifferentiateOp(*typed->op, known, diagnostics, source);
  });
}

const opsrun_gradient_info* opsrun_gradient_get(const opsrun_gradient* gradient) {
  return gradient == nullptr ? nullptr : &gradient->info;
}

void opsrun_gradient_free(opsrun_gradient* gradient) {
  delete gradient;
}

}  // extern "C"

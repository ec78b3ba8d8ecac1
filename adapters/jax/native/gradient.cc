// adapters/jax/native/gradient.cc
// SPDX-License-Identifier: Apache-2.0
#include "gradient.h"

#include "view.h"

namespace opsrun_jax {
namespace {

Operand OperandOf(const opsrun_operand& operand) {
  return {operand.kind, operand.index, operand.output};
}

Constant ConstantOf(const opsrun_array& array) {
  const TypeNumbers* const type = FindType(array.dtype);
  size_t bytes = 0;
  if (type == nullptr || !CountBytes(*type, array.rank, array.shape, bytes)) {
    throw opsrun_adapter::Failure(OPSRUN_UNIMPLEMENTED, "a gradient has a constant of a type that JAX does not have");
  }
  return {array.dtype, Shape(array.shape, array.shape + array.rank), nanobind::bytes(array.data, bytes)};
}

GradientCall CallOf(const opsrun_op_call& call) {
  const opsrun_typed_op_info& info = *opsrun_typed_op_get(call.op);
  std::vector<Operand> inputs;
  std::vector<std::optional<Shape>> out_shapes(info.n_out);
  for (uint32_t i = 0; i < info.n_in; ++i) inputs.push_back(OperandOf(call.inputs[i]));
  for (uint32_t i = 0; i < info.n_out; ++i) {
    const opsrun_tensor_info& output = call.outputs[i];
    if (output.rank >= 0) out_shapes[i].emplace(output.shape, output.shape + output.rank);
  }
  return {TypedOp::NameOf(info), opsrun_adapter::ToYaml(call.op), inputs, out_shapes};
}

}  // namespace

Gradient Differentiate(const TypedOp& op, const std::vector<Shape>& shapes) {
  std::vector<opsrun_known_sizes> sizes;
  for (const Shape& shape : shapes) sizes.push_back({static_cast<int32_t>(shape.size()), 0, shape.data(), nullptr});
  const auto found = [&] {
    const nanobind::gil_scoped_release unlocked;  // may open plugins
    return opsrun_adapter::Differentiate(op.get(), sizes, op.name() + " cannot be differentiated");
  }();
  const opsrun_gradient_info& info = *opsrun_gradient_get(found.get());
  Gradient gradient;
  auto& [calls, constants, of_inputs] = gradient;
  for (uint32_t i = 0; i < info.n_calls; ++i) calls.push_back(CallOf(info.calls[i]));
  for (uint32_t i = 0; i < info.n_constants; ++i) constants.push_back(ConstantOf(info.constants[i]));
  for (uint32_t i = 0; i < info.n_inputs; ++i) of_inputs.push_back(OperandOf(info.of_inputs[i]));
  return gradient;
}

}  // namespace opsrun_jax

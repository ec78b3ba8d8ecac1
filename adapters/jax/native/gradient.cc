// adapters/jax/native/gradient.cc
// SPDX-License-Identifier: Apache-2.0
#include "gradient.h"

#include "description.h"
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
  GradientCall read;
  read.description = Describe(info);
  for (uint32_t i = 0; i < info.n_in; ++i) read.inputs.push_back(OperandOf(call.inputs[i]));
  for (uint32_t i = 0; i < info.n_out; ++i) {
    const opsrun_tensor_info& output = call.outputs[i];
    read.out_shapes.emplace_back();
    if (output.rank >= 0) read.out_shapes.back().emplace(output.shape, output.shape + output.rank);
  }
  return read;
}

}  // namespace

Gradient Differentiate(const TypedOp& op, const std::vector<Shape>& shapes) {
  std::vector<opsrun_known_sizes> sizes;
  for (const Shape& shape : shapes) sizes.push_back({static_cast<int32_t>(shape.size()), 0, shape.data(), nullptr});
  const auto found = [&] {
    const nanobind::gil_scoped_release unlocked;  // it may open plugins
    return opsrun_adapter::Differentiate(op.get(), sizes, op.name() + " cannot be differentiated");
  }();
  const opsrun_gradient_info& info = *opsrun_gradient_get(found.get());
  Gradient gradient;
  for (uint32_t i = 0; i < info.n_calls; ++i) gradient.calls.push_back(CallOf(info.calls[i]));
  for (uint32_t i = 0; i < info.n_constants; ++i) gradient.constants.push_back(ConstantOf(info.constants[i]));
  for (uint32_t i = 0; i < info.n_inputs; ++i) gradient.of_inputs.push_back(OperandOf(info.of_inputs[i]));
  return gradient;
}

}  // namespace opsrun_jax

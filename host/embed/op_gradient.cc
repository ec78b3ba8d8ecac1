// host/embed/op_gradient.cc: the gradient of one op, as the C interface returns it.
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/op_gradient.h"

#include <fmt/format.h>

#include "host/embed/calls.h"
#include "host/embed/objects.h"
#include "host/embed/report.h"

using namespace opsrun::host;

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
    constants.push_back({constant.mutable_data(), constant.shape().data(), nullptr, DTypeNumber(constant.dtype()),
                         static_cast<int32_t>(constant.shape().size())});
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

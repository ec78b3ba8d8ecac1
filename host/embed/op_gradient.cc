// host/embed/op_gradient.cc: the gradient of one op, as the C interface returns it.
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/op_gradient.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "host/embed/calls.h"
#include "host/embed/guard.h"
#include "host/embed/objects.h"
#include "host/embed/report.h"

using namespace opsrun::host;

struct opsrun_gradient {
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

std::unique_ptr<opsrun_gradient> MakeGradient(OpGradient found) {
  auto made = std::make_unique<opsrun_gradient>();
  made->gradient = std::move(found);
  for (const GradientCall& call : made->gradient.calls) AddCall(call, *made);
  for (Tensor& constant : made->gradient.constants) {
    made->constants.push_back({constant.mutable_data(), constant.shape().data(), nullptr, DTypeNumber(constant.dtype()),
                               static_cast<int32_t>(constant.shape().size())});
  }
  for (const GradientOperand& operand : made->gradient.of_inputs) made->of_inputs.push_back(OperandOf(operand));
  for (const SlicesOperands& each : made->gradient.slices) {
    made->slices.push_back({OperandOf(each.values), OperandOf(each.indices), OperandOf(each.axis), each.batch_dims,
                            each.vectors ? 1u : 0u, 0});
  }
  made->info = {sizeof(opsrun_gradient_info),
                static_cast<uint32_t>(made->calls.size()),
                static_cast<uint32_t>(made->constants.size()),
                static_cast<uint32_t>(made->of_inputs.size()),
                made->calls.data(),
                made->constants.data(),
                made->of_inputs.data(),
                made->slices.data()};
  return made;
}

// False after errors: the wrong number of inputs, or missing sizes.
bool ReadShapes(const TypedOp& op, std::span<const opsrun_known_sizes> given, std::vector<std::optional<Shape>>& shapes,
                Diagnostics& diagnostics) {
  const size_t wanted = op.signature().in_types.size();
  if (!given.empty() && given.size() != wanted) {
    diagnostics.Error("F305", fmt::format("{} shapes are given, expected {}", given.size(), wanted))
        .help.push_back("give the shape of each input, or none");
  }
  for (const opsrun_known_sizes& shape : given) {
    if (shape.rank > OPSRUN_MAX_RANK || (shape.rank > 0 && shape.sizes == nullptr)) {
      ReportInput("a shape", InvalidArgument(fmt::format("rank {}, or no sizes", shape.rank)), diagnostics);
    } else {
      shapes.push_back(shape.rank < 0 ? std::nullopt : std::optional(Shape(shape.sizes, shape.sizes + shape.rank)));
    }
  }
  return !diagnostics.has_errors();
}

}  // namespace

extern "C" {

int32_t opsrun_typed_op_differentiate(const opsrun_typed_op* typed, const opsrun_known_sizes* shapes, uint32_t n_inputs,
                                      opsrun_gradient** gradient, opsrun_report** report) {
  *gradient = nullptr;
  return Guarded(typed, report, [&] {
    Diagnostics diagnostics;
    std::shared_ptr<const SourceFile> source;
    std::vector<std::optional<Shape>> known;
    std::optional<OpGradient> found;
    if (ReadShapes(*typed->op, ListOf(shapes, n_inputs), known, diagnostics)) {
      found = DifferentiateOp(*typed->op, known, diagnostics, &source);
    }
    const int32_t code = Report(std::move(diagnostics), source, report);
    if (code == OPSRUN_OK) *gradient = MakeGradient(*std::move(found)).release();
    return code;
  });
}

const opsrun_gradient_info* opsrun_gradient_get(const opsrun_gradient* gradient) {
  return gradient == nullptr ? nullptr : &gradient->info;
}

void opsrun_gradient_free(opsrun_gradient* gradient) {
  delete gradient;
}

}  // extern "C"

// host/plan/infer_op_shapes.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/infer_op_shapes.h"

#include <fmt/format.h>

#include <deque>
#include <optional>

#include "host/base/plugin_code.h"
#include "host/plan/known_elements.h"
#include "host/plan/shape_call.h"

namespace opsrun::host {
namespace {

Status Call(const RegisteredOp& op, ShapeCall& call, const std::vector<DType>& out_types) {
  PluginCodeFacts facts = op.plugin->Facts(PluginPhase::kShape);
  facts.op = op.def.name;
  const SingleCall code(facts);
  const RunningMark mark(&code);
  const FloatingPointMode floats;
  Status status;
  const std::optional<Thrown> thrown = CatchThrown([&] { status = call.Run(op.shape, op.shape_ctx, out_types); });
  floats.Restore();
  if (!thrown) return status;
  return {thrown->out_of_memory ? OPSRUN_RESOURCE_EXHAUSTED : OPSRUN_INTERNAL,
          fmt::format("its shape function {}", thrown->Sentence())};
}

}  // namespace

Result<OpShapeOutputs> InferOpShapes(const RegisteredOp& op, const CallArrays& arrays, const spec::Signature& signature,
                                     const opsrun_host* host, const OpShapeInputs& inputs, spec::ShapeEngine& engine) {
  const std::vector<DType>& out_types = signature.out_types;
  ShapeCall call(host, arrays, engine, inputs.shapes, inputs.values, static_cast<uint32_t>(out_types.size()));
  for (uint32_t i = 0; i < inputs.as_shapes.size(); ++i) call.SetElements(i, inputs.as_shapes[i]);
  OpShapeOutputs outputs;
  std::deque<Tensor> made;
  call.SetLateValues([&](uint32_t input) -> const Tensor* {
    std::optional<Tensor> whole =
        TensorOf(inputs.as_shapes[input], signature.in_types[input], inputs.shapes[input], engine);
    if (whole) return &made.emplace_back(*std::move(whole));
    outputs.wanted.push_back(input);
    return nullptr;
  });
  if (op.shape != nullptr) {
    if (Status status = Call(op, call, out_types); !status.ok()) return status;
  }
  for (uint32_t i = 0; i < out_types.size(); ++i) {
    outputs.shapes.push_back(call.output(i) == nullptr ? engine.Unknown() : call.output(i));
    outputs.as_shapes.push_back(call.output_elements(i));
  }
  return outputs;
}

}  // namespace opsrun::host

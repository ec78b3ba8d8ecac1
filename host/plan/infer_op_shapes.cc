// host/plan/infer_op_shapes.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/infer_op_shapes.h"

#include <fmt/format.h>

#include <optional>

#include "host/base/plugin_code.h"
#include "host/plan/shape_call.h"

namespace opsrun::host {
namespace {

Status Call(const RegisteredOp& op, ShapeCall& call) {
  PluginCodeFacts facts = op.plugin->Facts(PluginPhase::kShape);
  facts.op = op.def.name;
  const SingleCall code(facts);
  const RunningMark mark(&code);
  const FloatingPointMode floats;
  Status status;
  const std::optional<Thrown> thrown = CatchThrown([&] { status = call.Run(op.shape, op.shape_ctx); });
  floats.Restore();
  if (!thrown) return status;
  return {thrown->out_of_memory ? OPSRUN_RESOURCE_EXHAUSTED : OPSRUN_INTERNAL,
          fmt::format("its shape function {}", thrown->Sentence())};
}

}  // namespace

Result<OpShapeOutputs> InferOpShapes(const RegisteredOp& op, const CallArrays& arrays, size_t n_outputs,
                                     const opsrun_host* host, const OpShapeInputs& inputs, spec::ShapeEngine& engine) {
  ShapeCall call(host, arrays, engine, inputs.shapes, inputs.values, static_cast<uint32_t>(n_outputs));
  for (uint32_t i = 0; i < inputs.as_shapes.size(); ++i) call.SetSpelled(i, inputs.as_shapes[i]);
  OpShapeOutputs outputs;
  call.SetLateValues([&outputs](uint32_t input) -> const Tensor* {
    outputs.wanted.push_back(input);
    return nullptr;
  });
  if (op.shape != nullptr) {
    if (Status status = Call(op, call); !status.ok()) return status;
  }
  for (uint32_t i = 0; i < n_outputs; ++i) {
    outputs.shapes.push_back(call.output(i) == nullptr ? engine.Unknown() : call.output(i));
    outputs.as_shapes.push_back(call.output_value(i));
  }
  return outputs;
}

}  // namespace opsrun::host

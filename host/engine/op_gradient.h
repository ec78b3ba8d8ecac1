// host/engine/op_gradient.h: the gradient of one op, as a list of calls to ops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "host/engine/typed_op.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// A tensor used in the gradient.
struct GradientOperand {
  enum class Kind {
    kNone,
    kInput,     // input `index` of the op
    kOutput,    // output `index` of the op
    kGradient,  // the gradient of output `index`
    kConstant,  // OpGradient::constants[index]
    kCall,      // output `output` of OpGradient::calls[index]
  };
  Kind kind = Kind::kNone;
  uint32_t index = 0;
  uint32_t output = 0;
};

struct GradientCall {
  std::shared_ptr<const TypedOp> op;
  std::vector<GradientOperand> inputs;  // lists flattened
  std::vector<ResolvedShape> outputs;   // their shapes, as far as known
};

// A gradient that is zero except for slices: see GradientSlices in read_gradient.h.
struct SlicesOperands {
  GradientOperand values;  // kNone: the gradient does not have this form
  GradientOperand indices;
  GradientOperand axis;  // kNone: dimension 0
  bool vectors = false;
  int64_t batch_dims = 0;
};

struct OpGradient {
  std::vector<Tensor> constants;
  std::vector<GradientCall> calls;         // each after those whose results it uses
  std::vector<GradientOperand> of_inputs;  // by input; kNone: it has no gradient
  std::vector<SlicesOperands> slices;      // by input: the same gradient as slices
};

// The gradients of the inputs from those of all outputs; callers pass zeros for an output that nothing depends on.
// shapes: what is known about the shape of each input, -1 for an unknown size; an empty list if nothing is known. Opens
// the plugins whose ops the gradient uses. Nothing after errors, which refer to the text *source.
std::optional<OpGradient> DifferentiateOp(const TypedOp& op, const std::vector<std::optional<Shape>>& shapes,
                                          Diagnostics& diagnostics, std::shared_ptr<const SourceFile>* source);

}  // namespace opsrun::host

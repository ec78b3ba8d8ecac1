// adapters/jax/native/gradient.h: how the gradients of an op's inputs follow from those of its outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "infer.h"
#include "typed_op.h"

namespace opsrun_jax {

// OPSRUN_OPERAND_*, index, output.
using Operand = std::tuple<uint32_t, uint32_t, uint32_t>;
// The data type, the shape and the elements.
using Constant = std::tuple<int32_t, Shape, nanobind::bytes>;

struct GradientCall {
  std::string description;
  std::vector<Operand> inputs;
  std::vector<std::optional<Shape>> out_shapes;  // as far as they are known
};

struct Gradient {
  std::vector<GradientCall> calls;  // each after those whose results it reads
  std::vector<Constant> constants;
  std::vector<Operand> of_inputs;
};

// For inputs of these shapes. Throws a Failure if the op declares no gradient, or an invalid one.
Gradient Differentiate(const TypedOp& op, const std::vector<Shape>& shapes);

}  // namespace opsrun_jax

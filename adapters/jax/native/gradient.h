// adapters/jax/native/gradient.h: the gradient of an op, as values of Python.
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
// The name of an op, its call as a text, its inputs, and what is known about the shapes of its outputs.
using GradientCall = std::tuple<std::string, std::string, std::vector<Operand>, std::vector<std::optional<Shape>>>;
// Data type, shape, and elements.
using Constant = std::tuple<int32_t, Shape, nanobind::bytes>;
// Calls, each after those whose results it uses; constants; the gradients of the inputs.
using Gradient = std::tuple<std::vector<GradientCall>, std::vector<Constant>, std::vector<Operand>>;

// The gradient for inputs of these shapes. Throws a Failure if the op declares none, or an invalid one.
Gradient Differentiate(const TypedOp& op, const std::vector<Shape>& shapes);

}  // namespace opsrun_jax

// adapters/jax/native/infer.h: infers the shapes of outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <tuple>
#include <vector>

#include "typed_op.h"

namespace opsrun_jax {

using Shape = std::vector<int64_t>;  // -1: an unknown size

// What is known about an input: its shape, and its elements as bytes, if known.
using KnownInput = std::tuple<Shape, std::optional<nanobind::bytes>>;
// What is known about an output: its shape, and its elements if they are sizes.
using KnownOutput = std::tuple<std::optional<Shape>, std::optional<Shape>>;

// Runs the shape function. Throws a Failure if it refuses the inputs.
std::vector<KnownOutput> Infer(const TypedOp& op, const std::vector<KnownInput>& inputs);

}  // namespace opsrun_jax

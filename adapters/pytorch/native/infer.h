// adapters/pytorch/native/infer.h: output shapes for tensors without memory, as values of Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "op.h"

namespace opsrun_torch {

// Sizes, -1 if unknown, and symbols: unknown sizes with equal symbols other than 0 are equal.
using Sizes = std::pair<std::vector<int64_t>, std::vector<uint32_t>>;
// What is known about an input: its type, its shape, and its elements, either in CPU memory or as sizes.
using KnownInput = std::tuple<c10::ScalarType, Sizes, std::optional<at::Tensor>, std::optional<Sizes>>;

// Runs the shape function; raises its errors. counts: by input argument, as in CallKey. Returns a tuple (sizes,
// outputs, equal, counts):
//   sizes    (kind, value, a, b) each, see opsrun_size
//   outputs  (type, shape, as_shape) each, lists flattened; the shapes are lists of numbers of sizes, or None
//   equal    pairs of numbers of sizes
//   counts   by output argument: how many of the outputs it has
pybind11::tuple Infer(Op& op, const std::vector<KnownInput>& inputs, const std::vector<uint32_t>& counts,
                      const pybind11::list& attrs);

}  // namespace opsrun_torch

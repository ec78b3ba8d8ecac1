// adapters/pytorch/native/infer.h: shapes of outputs, for tensors that have no memory yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <optional>
#include <vector>

#include "op.h"

namespace opsrun_torch {

// What is known of sizes: -1 for an unknown one, and equal symbols, other than 0, for equal unknown ones.
struct KnownSizes {
  std::vector<int64_t> sizes;
  std::vector<uint32_t> symbols;
};

struct KnownInput {
  c10::ScalarType type;
  KnownSizes shape;
  std::optional<at::Tensor> value;     // in CPU memory
  std::optional<KnownSizes> as_shape;  // its elements, as sizes
};

struct InferredOutput {
  c10::ScalarType type;
  std::optional<std::vector<uint32_t>> shape, as_shape;  // numbers of sizes
};

struct Inferred {
  std::vector<opsrun_size> sizes;
  std::vector<InferredOutput> outputs;  // lists flattened
  std::vector<uint32_t> counts;         // by output argument: how many of them
  std::vector<uint32_t> equal;          // pairs of numbers of sizes
};

// Runs the shape function. counts: by input argument, as in CallKey. Raises what it says.
Inferred Infer(Op& op, const std::vector<KnownInput>& inputs, const std::vector<uint32_t>& counts,
               std::vector<c10::IValue> attrs);

}  // namespace opsrun_torch

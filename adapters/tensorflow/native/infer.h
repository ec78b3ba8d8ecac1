// adapters/tensorflow/native/infer.h: the shape function of a plugin for values that Python knows in part.
//
// TensorFlow's own inference (shapes.h) tells a shape function of a value all or nothing: asked for what it knows in
// part, it takes the value for a shape, and fails if a number is below -1. Python knows more of the graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "typed_op.h"

namespace opsrun_tf {

// The sizes of a shape, -1 for one that is not known, or elements as opsrun_known_sizes has them.
using Sizes = std::optional<std::vector<int64_t>>;

// For each output of a node, of which node_def is the serialized NodeDef, its shape and its elements. value_of: called
// with the number of an input whose value the function asks for, returns a serialized TensorProto, or None. Throws
// Failure.
std::vector<std::pair<Sizes, Sizes>> InferOutputs(const Op& op, const std::string& node_def,
                                                  const std::vector<std::pair<Sizes, Sizes>>& inputs,
                                                  const pybind11::function& value_of);

}  // namespace opsrun_tf

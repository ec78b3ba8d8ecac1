// adapters/tensorflow/native/infer.h: runs a plugin's shape function with values that Python knows in part.
//
// TensorFlow's own inference (shapes.h) gives a shape function the whole value or nothing. Asked for a partly known
// value, it takes the value for a shape and fails if a number is below -1. Python knows more about the graph.
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

// The sizes of a shape, -1 if unknown, or elements as in opsrun_known_sizes.
using Sizes = std::optional<std::vector<int64_t>>;

// The shape and the elements of each output of a node. node_def: the serialized NodeDef. value_of: called with the
// index of an input whose value the shape function requests; returns a serialized TensorProto, or None. Throws Failure.
std::vector<std::pair<Sizes, Sizes>> InferOutputs(const Op& op, const std::string& node_def,
                                                  const std::vector<std::pair<Sizes, Sizes>>& inputs,
                                                  const pybind11::function& value_of);

}  // namespace opsrun_tf

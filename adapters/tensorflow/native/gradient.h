// adapters/tensorflow/native/gradient.h: the gradient that an op declares, as values of Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "typed_op.h"

namespace opsrun_tf {

// What is known about the shape of each input, lists flattened: nothing, or its sizes, -1 if unknown.
using KnownShapes = std::vector<std::optional<std::vector<int64_t>>>;

// A tuple (calls, constants, of_inputs, slices) for a node of the op. node_def: the serialized NodeDef.
//   calls      each (plugin, op, arguments, attrs): per argument an operand or a list of operands; attrs is a dict
//   constants  each (data type, shape, bytes)
//   of_inputs  for each input an operand, lists flattened
//   slices     for each input None, or (values, indices, axis, if indices are vectors, batch_dims) of opsrun_slices
// An operand is a tuple (OPSRUN_OPERAND_*, index, output). shapes: derives the gradient for these shapes only; nothing:
// for all. Throws Failure if there is no valid gradient.
pybind11::tuple GradientOf(const Op& op, const std::string& node_def, const std::optional<KnownShapes>& shapes);

}  // namespace opsrun_tf

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

// What is known of the shape of each input, lists flattened: nothing, or the sizes, -1 for one that is not known.
using KnownShapes = std::vector<std::optional<std::vector<int64_t>>>;

// A tuple (calls, constants, of_inputs, slices) for a node of the op, of which node_def is the serialized NodeDef.
//   calls      (plugin, op, arguments, attrs) each: by argument an operand, or a list of operands; attrs is a dict
//   constants  (data type, shape, bytes) each
//   of_inputs  by input an operand, lists flattened
//   slices     by input None, or (values, indices, axis, whether indices are vectors, batch_dims) of opsrun_slices
// An operand is a tuple (OPSRUN_OPERAND_*, index, output). Throws Failure if there is no valid gradient. shapes: it is
// for these alone; otherwise, for all.
pybind11::tuple GradientOf(const Op& op, const std::string& node_def, const std::optional<KnownShapes>& shapes);

}  // namespace opsrun_tf

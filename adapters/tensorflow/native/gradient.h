// adapters/tensorflow/native/gradient.h: the gradient that an op declares, as values of Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "typed_op.h"

namespace opsrun_tf {

// A tuple (calls, constants, of_inputs) for a node of the op, of which node_def is the serialized NodeDef.
//   calls      (plugin, op, arguments, attrs) each: by argument an operand, or a list of operands; attrs is a dict
//   constants  (data type, shape, bytes) each
//   of_inputs  by input an operand, lists flattened
// An operand is a tuple (OPSRUN_OPERAND_*, index, output). Throws Failure if there is no valid gradient.
pybind11::tuple GradientOf(const Op& op, const std::string& node_def);

}  // namespace opsrun_tf

// adapters/pytorch/native/op_functions.h: what Python asks about an op: its shapes and its gradient.
//
// op: a capsule with an Op; key: the bytes of a Key.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.h"

namespace opsrun_torch {

// gradient(op, key) -> OPSRUN_GRADIENT_*
Object GradientOf(PyObject* args);

// infer(op, key, inputs) -> (sizes, outputs, equal, counts): runs the shape function, and raises its errors.
//   inputs   (shape, address, elements) each, lists flattened: shape and elements are (sizes, symbols), see
//            opsrun_known_sizes; elements may be None; address: of the elements in memory, or 0
//   sizes    (kind, value, a, b) each, see opsrun_size
//   outputs  (type, shape, as_shape) each, lists flattened; the shapes are lists of numbers of sizes, or None
//   equal    numbers of sizes, in pairs
//   counts   by output argument: how many of the outputs it has
Object Infer(PyObject* args);

// differentiate(op, key, shapes) -> (calls, constants, of_inputs): the gradient for inputs of these shapes, -1 for an
// unknown size; None: for all shapes.
//   calls      (plugin, op, operands, counts, attrs) each; counts: by input, the number of tensors in a list, or None;
//              attrs: (name, value) each; types are numbers, tensors as constants
//   constants  (type, shape, bytes) each
//   of_inputs  by input the operand that is its gradient
//   operands   (kind, index, output) each, see opsrun_operand
Object Differentiate(PyObject* args);

}  // namespace opsrun_torch

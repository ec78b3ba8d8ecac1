// tests/vectors/tensor_of.h: tensors of a vectors file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/tensor/tensor.h"
#include "tests/vectors/yaml_tree.h"

namespace opsrun::vectors {

// {shape: [2, 2], values: [1, 2, 3, 4]}, or nested lists. Throws if the values do not fill the shape.
host::Tensor TensorOf(const Tree& tree, host::DType dtype);

// Nested lists, or just the values, of a tensor whose shape is known otherwise.
host::Tensor TensorOf(const Tree& values, host::DType dtype, const host::Shape& shape);

// Of nested lists, going by the first of each; whether the others fit, the number of elements tells.
host::Shape ShapeOf(const Tree& nested);

}  // namespace opsrun::vectors

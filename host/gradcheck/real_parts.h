// host/gradcheck/real_parts.h: numbers of any floating-point or complex type as real numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "host/tensor/tensor.h"

namespace opsrun::host {

// 2 for complex types, which have a real and an imaginary part, otherwise 1.
size_t PartsOf(DType dtype);

// The parts of all elements, in row-major order. Requires: a type with gradients.
std::vector<double> RealParts(const Tensor& tensor);

// A tensor of the type with these parts, rounded to it. Nothing if there is no memory. Requires the same, and as many
// parts as the shape has.
Result<Tensor> FromRealParts(DType dtype, const Shape& shape, const std::vector<double>& parts);

// float64 for real types, complex128 for complex ones.
DType PreciseType(DType dtype);

}  // namespace opsrun::host

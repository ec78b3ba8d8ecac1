// host/gradcheck/compare_jacobians.h: where a declared Jacobian differs from the measured one, and how.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "host/gradcheck/jacobian.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

struct JacobianDifference {
  double worst = 0;  // the largest |declared - measured| / max(1, |measured|); not finite if an entry is not
  size_t row = 0, column = 0;
  double declared = 0, measured = 0;
};

// Requires: equal sizes.
JacobianDifference CompareJacobians(const Jacobian& declared, const Jacobian& measured);

// What all entries in the columns of one feed, starting at `first`, have in common: "all entries are 0.5 times what
// they should be", "it would be right if it were transposed"; empty if nothing is found. tolerance: as for `worst`.
std::string DescribeDifference(const Jacobian& declared, const Jacobian& measured, size_t first, const Tensor& feed,
                               double tolerance);

// Numbers of any floating-point or complex type as real numbers.

// 2 for complex types (real and imaginary part), otherwise 1.
size_t PartsOf(DType dtype);

size_t CountParts(const Tensor& tensor);

// The parts of all elements, in row-major order. Requires: a type with gradients.
std::vector<double> RealParts(const Tensor& tensor);

// A tensor with these parts, rounded to its type. Nothing if out of memory. Requires: a type with gradients, and the
// number of parts that the shape has.
Result<Tensor> FromRealParts(DType dtype, const Shape& shape, const std::vector<double>& parts);

// float64 for real types, complex128 for complex ones.
DType PreciseType(DType dtype);

}  // namespace opsrun::host

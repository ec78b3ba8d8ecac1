// host/tensor/compare.h: compares a tensor with the expected one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/tensor/tensor.h"

namespace opsrun::host {

// An element is correct if |found - expected| <= atol + rtol * |expected|, or if the two are equal.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  bool equal_nan = false;  // NaN is correct if NaN is expected
};

// Exact for integers and bools; for floats and complex numbers, about as much as reordering a sum can change.
Tolerance DefaultTolerance(DType dtype);

// Differences of complex numbers are absolute values; strings have none.
struct Comparison {
  int64_t wrong = 0;  // elements
  int64_t place = 0;  // row-major index of the element furthest beyond its tolerance
  double difference = 0;
  double allowed = 0;
};

// Requires: the data types and shapes are equal.
Comparison CompareTensors(const Tensor& found, const Tensor& expected, const Tolerance& tolerance);

// "[1, 2]": the indices of the element at a row-major index.
std::string IndexText(const Shape& shape, int64_t place);

}  // namespace opsrun::host

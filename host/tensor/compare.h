// host/tensor/compare.h: how far a tensor is from the one that was expected.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/tensor/tensor.h"

namespace opsrun::host {

// An element is right if |found - expected| <= atol + rtol * |expected|, or if the two are equal.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  bool equal_nan = false;  // NaN is right where NaN is expected
};

// Exact for integers and bools; for floats and complex numbers about what the order of a sum changes.
Tolerance DefaultTolerance(DType dtype);

// For complex numbers, differences are absolute values of differences; for strings there are none.
struct Comparison {
  int64_t wrong = 0;  // elements
  int64_t place = 0;  // in row-major order, of the one that is furthest beyond its tolerance
  double difference = 0;
  double allowed = 0;
};

// Requires: both have one data type and shape.
Comparison CompareTensors(const Tensor& found, const Tensor& expected, const Tolerance& tolerance);

// "[1, 2]": the indices of a place in row-major order.
std::string IndexText(const Shape& shape, int64_t place);

}  // namespace opsrun::host

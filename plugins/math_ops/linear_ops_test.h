// plugins/math_ops/linear_ops_test.h: what the tests of matrix products, convolutions and pooling have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "opsrun/testing.h"

namespace linear_ops_test {

using opsrun::test::Array;
using opsrun::test::ArrayOf;
using opsrun::test::BFloat16;
using opsrun::test::Half;
using opsrun::test::Node;
using opsrun::test::OpTest;
using opsrun::test::Shape;
using opsrun::test::ShapeInferenceTestOp;

inline const std::string kWrong = "INVALID_ARGUMENT: ";

inline int64_t Elements(const Shape& shape) {
  int64_t n = 1;
  for (const int64_t size : shape) n *= size;
  return n;
}

// Numbers from -4 to 4. Sums of their products are exact in every type, so no tolerance is needed.
class SmallNumbers {
 public:
  explicit SmallNumbers(uint32_t seed) : random_(seed) {}

  int64_t Below(int64_t end) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(end)); }
  template <typename T>
  std::vector<T> Values(const Shape& shape) {
    std::vector<T> values;
    for (int64_t i = 0; i < Elements(shape); ++i) values.push_back(static_cast<T>(static_cast<float>(Below(9) - 4)));
    return values;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace linear_ops_test

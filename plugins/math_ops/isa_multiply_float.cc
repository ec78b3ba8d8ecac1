// plugins/math_ops/isa_multiply_float.cc: products of matrices of float.
// SPDX-License-Identifier: Apache-2.0
#include "isa_multiply.h"

namespace math_ops {

void MultiplyFloats(const Product<float>& product) {
  MultiplyWithEigen(product);
}

}  // namespace math_ops

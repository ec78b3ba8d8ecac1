// plugins/math_ops/isa_multiply_double.cc: products of matrices of double.
// SPDX-License-Identifier: Apache-2.0
#include "isa_multiply.h"

namespace math_ops {

void MultiplyDoubles(const Product<double>& product) {
  MultiplyWithEigen(product);
}

}  // namespace math_ops

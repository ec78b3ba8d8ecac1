// plugins/math_ops/isa_multiply_int.cc: products of matrices of integers.
// SPDX-License-Identifier: Apache-2.0
#include "isa_multiply.h"

namespace math_ops {

void MultiplyInts(const Product<uint32_t>& product) {
  MultiplyWrapping(product);
}

void MultiplyLongs(const Product<uint64_t>& product) {
  MultiplyWrapping(product);
}

}  // namespace math_ops

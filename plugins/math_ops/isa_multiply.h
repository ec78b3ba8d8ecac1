// plugins/math_ops/isa_multiply.h: matrix products. Included by sources of the sets only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa_product.h"

namespace math_ops {

// One source for each, so that they are compiled at the same time.
void MultiplyFloats(const Product<float>& product);
void MultiplyDoubles(const Product<double>& product);
void MultiplyInts(const Product<uint32_t>& product);
void MultiplyLongs(const Product<uint64_t>& product);

}  // namespace math_ops

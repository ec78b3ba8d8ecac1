// plugins/math_ops/unary_loops.cc: see unary_loops.h.
// SPDX-License-Identifier: Apache-2.0
#include "unary_loops.h"

#define MATH_OPS_ISA baseline
#include "unary_loops_impl.h"

namespace math_ops {

const TranscendentalLoops& Loops() {
  return baseline::kLoops;
}

}  // namespace math_ops

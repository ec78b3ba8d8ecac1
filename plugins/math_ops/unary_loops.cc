// plugins/math_ops/unary_loops.cc
// SPDX-License-Identifier: Apache-2.0
#include "unary_loops.h"

#include "isa_kernels.h"

// For processors that are older than all instruction sets.
#define MATH_OPS_ISA baseline
#include "unary_loops_impl.h"

namespace math_ops {

const TranscendentalLoops& Loops() {
  static const TranscendentalLoops* const loops =
      BestKernels() == nullptr ? &baseline::kLoops : BestKernels()->transcendental;
  return *loops;
}

}  // namespace math_ops

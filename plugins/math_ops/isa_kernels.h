// plugins/math_ops/isa_kernels.h: loops that are compiled for several instruction sets.
//
// Each set has one table of functions, which code outside of the sets gets from BestKernels().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <vector>

#include "isa_multiply.h"
#include "unary_loops.h"

namespace math_ops {

struct SimpleLoops;

// The name is "x86_64_v3" for -march=x86-64-v3, and "plain" for a set without options.
struct Kernels {
  const char* name;
  std::tuple<Multiply<float>, Multiply<double>, Multiply<uint32_t>, Multiply<uint64_t>> multiply;
  const TranscendentalLoops* transcendental;
  const SimpleLoops* simple;
};

// The tables of all compiled sets that this processor can run, the fastest last. Empty if the processor is older than
// all of them.
std::vector<const Kernels*> SupportedKernels();

// The last one of SupportedKernels(), or NULL.
const Kernels* BestKernels();

}  // namespace math_ops

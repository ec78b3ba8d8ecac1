// plugins/math_ops/isa_kernels.h: loops that are compiled for several instruction sets.
//
// Each set has one table of functions, which code outside of the sets gets from BestKernels().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "unary_loops.h"

namespace math_ops {

struct SimpleLoops;

// A matrix in memory: element (i, j) is at data[i * stride + j], or at data[j * stride + i] if it is transposed.
template <typename T>
struct MatrixView {
  const T* data;
  int64_t stride;
  bool transposed;

  // The submatrix that begins at (i, j).
  MatrixView At(int64_t i, int64_t j) const {
    return {data + (transposed ? j * stride + i : i * stride + j), stride, transposed};
  }
};

// out = a b, or out += a b if `add`. a is [rows, depth], b is [depth, columns]; element (i, j) of the result is at
// out[i * out_stride + j]. Integers wrap, so they are unsigned. Any size may be 0.
template <typename T>
struct Product {
  int64_t rows, depth, columns;
  MatrixView<T> a, b;
  T* out;
  int64_t out_stride;
  bool add = false;
};

template <typename T>
using Multiply = void (*)(const Product<T>& product);

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

// What the processor and the operating system report; all zero on other processors than x86-64.
struct CpuFacts {
  uint32_t leaf1_ecx = 0, leaf7_ebx = 0, extended1_ecx = 0;  // from the instruction CPUID
  uint64_t saved_state = 0;                                  // XCR0: the registers that the system saves
};

// For tests: the highest N up to 4 such that code compiled for x86-64-vN runs; 1 if unknown. A level requires all of
// its instructions, and an operating system that saves its registers.
int LevelOf(const CpuFacts& facts);

}  // namespace math_ops

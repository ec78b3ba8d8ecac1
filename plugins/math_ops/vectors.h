// plugins/math_ops/vectors.h: the vectors of one instruction set.
//
// Included by isa_set.cc, in whose namespace it is compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace math_ops {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <typename T>
constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(T));

template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes)));
  typedef T AtAnyAddress __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));
};

}  // namespace
}  // namespace math_ops

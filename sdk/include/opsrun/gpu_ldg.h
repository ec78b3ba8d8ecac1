// opsrun/gpu_ldg.h: ldg, a load through the read-only data cache, for every element type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_CODE

#include <string.h>

#include <type_traits>

#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The unsigned integer of 1, 2, 4 or 8 bytes.
template <size_t kSize>
using GpuWordOf = std::conditional_t<kSize <= 2, std::conditional_t<kSize == 1, unsigned char, unsigned short>,
                                     std::conditional_t<kSize == 4, unsigned int, unsigned long long>>;

}  // namespace internal

// Returns *address. Requires: nothing writes to the memory while the kernel runs.
template <typename T>
__device__ inline T ldg(const T* address) {
  static_assert(std::is_trivially_copyable_v<T>, "ldg copies bytes");
  typedef internal::GpuWordOf<(alignof(T) < 8 ? alignof(T) : 8)> Word;  // the widest that is aligned
  constexpr int kWords = static_cast<int>(sizeof(T) / sizeof(Word));
  Word words[kWords];
  for (int i = 0; i < kWords; ++i) words[i] = __ldg(reinterpret_cast<const Word*>(address) + i);
  T value;
  memcpy(static_cast<void*>(&value), words, sizeof(T));
  return value;
}
template <typename T>
__device__ inline T GpuLdg(const T* address) {
  return ldg(address);
}
template <typename T>
__device__ inline T CudaLdg(const T* address) {
  return ldg(address);
}

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_CODE

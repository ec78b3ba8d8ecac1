// opsrun/gpu_device_functions.h: what __global__ functions call: loads, atomic operations, and operations across the
// threads of a block or a warp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_CODE

#include <string.h>

#include <complex>
#include <type_traits>

#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// ldg, a load through the read-only data cache, for every element type.

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

// Atomic operations on numbers in global or shared memory. Each returns the old value.
//
// 32-bit and 64-bit integers, float and double are added by hardware instructions; everything else is a
// compare-and-swap loop. 16-bit types require compute capability 7.0.

namespace internal {

// The integer type that atomicCAS uses for a T.
template <typename T>
struct GpuSwapped {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "cards swap numbers of 16, 32 and 64 bits");
  typedef GpuWordOf<sizeof(T)> type;
};

template <typename To, typename From>
__device__ inline To GpuBitsAs(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bits are neither added nor lost");
  To to;
  memcpy(static_cast<void*>(&to), &from, sizeof(to));
  return to;
}

// Makes a parameter convert to T without taking part in the deduction of T.
template <typename T>
struct GpuArgument {
  typedef T type;
};
template <typename T>
using GpuArgumentOf = typename GpuArgument<T>::type;

// Replaces *to by change(*to); retries if another thread modified it.
template <typename T, typename Change>
__device__ inline T GpuChange(T* to, const Change& change) {
  typedef typename GpuSwapped<T>::type Word;
  Word seen = GpuBitsAs<Word>(*to);
  for (;;) {
    const Word before = seen;
    const T changed = change(GpuBitsAs<T>(before));
    seen = atomicCAS(reinterpret_cast<Word*>(to), before, GpuBitsAs<Word>(changed));
    if (seen == before) return GpuBitsAs<T>(before);
  }
}

// A complex number, because std::complex's operators are not device functions.
template <typename R>
struct GpuParts {
  R real, imaginary;
};
template <typename R>
__device__ inline std::complex<R> GpuAddParts(std::complex<R>* to, R real, R imaginary) {
  R* const place = reinterpret_cast<R*>(to);
  return GpuBitsAs<std::complex<R>>(GpuParts<R>{atomicAdd(place, real), atomicAdd(place + 1, imaginary)});
}

template <typename T>
constexpr bool kGpuIsInteger32 = std::is_integral_v<T> && sizeof(T) == 4;
template <typename T>
constexpr bool kGpuIsInteger64 = std::is_integral_v<T> && sizeof(T) == 8;
// The integer types of the hardware's comparisons; long becomes long long.
template <typename T>
using GpuComparable = std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int, unsigned int>,
                                         std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>;

}  // namespace internal

template <typename T>
__device__ inline T GpuAtomicAdd(T* to, internal::GpuArgumentOf<T> value) {
  if constexpr (internal::kGpuIsInteger32<T>) {
    return static_cast<T>(atomicAdd(reinterpret_cast<unsigned int*>(to), static_cast<unsigned int>(value)));
  } else if constexpr (internal::kGpuIsInteger64<T>) {
    return static_cast<T>(atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value)));
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return atomicAdd(to, value);
  } else {
    return internal::GpuChange(to, [&value](const T& old) -> T { return static_cast<T>(old + value); });
  }
}
// Adds the parts of complex numbers separately: another thread may see only one part updated.
template <typename R>
__device__ inline std::complex<R> GpuAtomicAdd(std::complex<R>* to, internal::GpuArgumentOf<std::complex<R>> value) {
  const auto parts = internal::GpuBitsAs<internal::GpuParts<R>>(value);
  return internal::GpuAddParts(to, parts.real, parts.imaginary);
}

template <typename T>
__device__ inline T GpuAtomicSub(T* to, internal::GpuArgumentOf<T> value) {
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4) {
    return GpuAtomicAdd(to, static_cast<T>(T{0} - value));
  } else {
    return internal::GpuChange(to, [&value](const T& old) -> T { return static_cast<T>(old - value); });
  }
}
template <typename R>
__device__ inline std::complex<R> GpuAtomicSub(std::complex<R>* to, internal::GpuArgumentOf<std::complex<R>> value) {
  const auto parts = internal::GpuBitsAs<internal::GpuParts<R>>(value);
  return internal::GpuAddParts(to, -parts.real, -parts.imaginary);
}

// Stores the maximum. A NaN never replaces a number.
template <typename T>
__device__ inline T GpuAtomicMax(T* to, internal::GpuArgumentOf<T> value) {
  if constexpr (internal::kGpuIsInteger32<T> || internal::kGpuIsInteger64<T>) {
    typedef internal::GpuComparable<T> Native;
    return static_cast<T>(atomicMax(reinterpret_cast<Native*>(to), static_cast<Native>(value)));
  } else {
    return internal::GpuChange(to, [&value](const T& old) -> T { return value > old ? value : old; });
  }
}

// Stores the minimum. A NaN never replaces a number.
template <typename T>
__device__ inline T GpuAtomicMin(T* to, internal::GpuArgumentOf<T> value) {
  if constexpr (internal::kGpuIsInteger32<T> || internal::kGpuIsInteger64<T>) {
    typedef internal::GpuComparable<T> Native;
    return static_cast<T>(atomicMin(reinterpret_cast<Native*>(to), static_cast<Native>(value)));
  } else {
    return internal::GpuChange(to, [&value](const T& old) -> T { return value < old ? value : old; });
  }
}

template <typename T>
__device__ inline T GpuAtomicMul(T* to, internal::GpuArgumentOf<T> value) {
  return internal::GpuChange(to, [&value](const T& old) -> T { return static_cast<T>(old * value); });
}
template <typename T>
__device__ inline T GpuAtomicDiv(T* to, internal::GpuArgumentOf<T> value) {
  return internal::GpuChange(to, [&value](const T& old) -> T { return static_cast<T>(old / value); });
}

// Stores `value` if the memory has the bits of `expected`.
template <typename T>
__device__ inline T GpuAtomicCas(T* to, internal::GpuArgumentOf<T> expected, internal::GpuArgumentOf<T> value) {
  typedef typename internal::GpuSwapped<T>::type Word;
  return internal::GpuBitsAs<T>(
      atomicCAS(reinterpret_cast<Word*>(to), internal::GpuBitsAs<Word>(expected), internal::GpuBitsAs<Word>(value)));
}

// Names in TensorFlow before 2.0.
#define OPSRUN_CUDA_ATOMIC(operation)                                                  \
  template <typename T>                                                                \
  __device__ inline T CudaAtomic##operation(T* to, internal::GpuArgumentOf<T> value) { \
    return GpuAtomic##operation(to, value);                                            \
  }
OPSRUN_CUDA_ATOMIC(Add)
OPSRUN_CUDA_ATOMIC(Sub)
OPSRUN_CUDA_ATOMIC(Max)
OPSRUN_CUDA_ATOMIC(Min)
OPSRUN_CUDA_ATOMIC(Mul)
OPSRUN_CUDA_ATOMIC(Div)
#undef OPSRUN_CUDA_ATOMIC

// Operations across the threads of a block or of a warp of 32: barriers, shuffles and votes.
//
// Every thread in `mask` must make the same call with the same mask, unless it has ended; bit i is lane i.

constexpr unsigned kGpuWarpAll = 0xffffffffu;
constexpr unsigned kCudaWarpAll = kGpuWarpAll;

namespace internal {

constexpr int kGpuWarpSize = 32;

// Moves a value of any size, 32 bits at a time.
template <typename T, typename Move>
__device__ inline T GpuMoveWords(const T& value, const Move& move) {
  static_assert(std::is_trivially_copyable_v<T>, "shuffles copy bytes");
  constexpr int kWords = static_cast<int>((sizeof(T) + 3) / 4);
  unsigned words[kWords] = {};
  memcpy(words, &value, sizeof(T));
  for (int i = 0; i < kWords; ++i) words[i] = move(words[i]);
  T moved;
  memcpy(static_cast<void*>(&moved), words, sizeof(T));
  return moved;
}

}  // namespace internal

// The lane of this thread in its warp.
__device__ inline unsigned GpuLaneId() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % internal::kGpuWarpSize;
}

__device__ inline void GpuSyncThreads() {
  __syncthreads();
}
__device__ inline void GpuSyncWarp(unsigned mask = kGpuWarpAll) {
  __syncwarp(mask);
}

// The lanes that are converged with this one now; others may reach this code later.
__device__ inline unsigned GpuActiveMask() {
  return __activemask();
}
__device__ inline unsigned GpuBallotSync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate);
}
__device__ inline int GpuAnySync(unsigned mask, int predicate) {
  return __any_sync(mask, predicate);
}
__device__ inline int GpuAllSync(unsigned mask, int predicate) {
  return __all_sync(mask, predicate);
}

// The value of lane `source`; of the lane `delta` below or above; of the lane whose number differs in the bits
// `lane_mask`. width, a power of two, splits the warp into independent parts. At the edge of a part, up and down return
// the thread's own value. T: any trivially copyable type.
template <typename T>
__device__ inline T GpuShuffleSync(unsigned mask, T value, int source, int width = internal::kGpuWarpSize) {
  return internal::GpuMoveWords(value, [=](unsigned word) { return __shfl_sync(mask, word, source, width); });
}
template <typename T>
__device__ inline T GpuShuffleUpSync(unsigned mask, T value, unsigned delta, int width = internal::kGpuWarpSize) {
  return internal::GpuMoveWords(value, [=](unsigned word) { return __shfl_up_sync(mask, word, delta, width); });
}
template <typename T>
__device__ inline T GpuShuffleDownSync(unsigned mask, T value, unsigned delta, int width = internal::kGpuWarpSize) {
  return internal::GpuMoveWords(value, [=](unsigned word) { return __shfl_down_sync(mask, word, delta, width); });
}
template <typename T>
__device__ inline T GpuShuffleXorSync(unsigned mask, T value, int lane_mask, int width = internal::kGpuWarpSize) {
  return internal::GpuMoveWords(value, [=](unsigned word) { return __shfl_xor_sync(mask, word, lane_mask, width); });
}

// Names in TensorFlow before 2.0.
__device__ inline unsigned CudaLaneId() {
  return GpuLaneId();
}
__device__ inline void CudaSyncWarp(unsigned mask = kGpuWarpAll) {
  GpuSyncWarp(mask);
}
__device__ inline unsigned CudaBallotSync(unsigned mask, int predicate) {
  return GpuBallotSync(mask, predicate);
}
template <typename T>
__device__ inline T CudaShuffleSync(unsigned mask, T value, int source, int width = internal::kGpuWarpSize) {
  return GpuShuffleSync(mask, value, source, width);
}
template <typename T>
__device__ inline T CudaShuffleUpSync(unsigned mask, T value, unsigned delta, int width = internal::kGpuWarpSize) {
  return GpuShuffleUpSync(mask, value, delta, width);
}
template <typename T>
__device__ inline T CudaShuffleDownSync(unsigned mask, T value, unsigned delta, int width = internal::kGpuWarpSize) {
  return GpuShuffleDownSync(mask, value, delta, width);
}
template <typename T>
__device__ inline T CudaShuffleXorSync(unsigned mask, T value, int lane_mask, int width = internal::kGpuWarpSize) {
  return GpuShuffleXorSync(mask, value, lane_mask, width);
}

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_CODE

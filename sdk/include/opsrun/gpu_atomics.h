// opsrun/gpu_atomics.h: atomic operations on numbers in global or shared memory, for kernels. Each returns the old
// value.
//
// 32-bit and 64-bit integers, float and double are added by hardware instructions; everything else is a
// compare-and-swap loop. 16-bit types require compute capability 7.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/gpu_ldg.h"
#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_CODE

#include <string.h>

#include <complex>
#include <type_traits>

#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
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

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_CODE

// opsrun/gpu_device_functions.h: what kernels call: loops, loads, atomic operations, and the warp's. For .cu.cc files.
//
// The names are TensorFlow's. Masks name the threads of the warp that take part: all of them must call the function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "opsrun/namespace.h"
#include "opsrun/types.h"

// A loop over [0, n) in a __global__ function, correct for any grid. n may be an int64.
#define GPU_1D_KERNEL_LOOP(i, n) for (int i : ::OPSRUN_NAMESPACE::GpuGridRangeX<int>(n))
#define CUDA_1D_KERNEL_LOOP(i, n) GPU_1D_KERNEL_LOOP(i, n)
// The same along one axis, X, Y or Z, of a grid.
#define GPU_AXIS_KERNEL_LOOP(i, n, axis) for (int i : ::OPSRUN_NAMESPACE::GpuGridRange##axis<int>(n))
#define CUDA_AXIS_KERNEL_LOOP(i, n, axis) GPU_AXIS_KERNEL_LOOP(i, n, axis)

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// first, first + step, ... below end.
template <typename T>
class StridedRange {
 public:
  class Iterator {
   public:
    __device__ Iterator(T at, T step, T end) : at_(at), step_(step), end_(end) {}
    __device__ T operator*() const { return at_; }
    // A step past the end would overflow for sizes near that of T.
    __device__ Iterator& operator++() {
      at_ = end_ - at_ > step_ ? at_ + step_ : end_;
      return *this;
    }
    __device__ bool operator!=(const Iterator& other) const { return at_ < other.at_; }

   private:
    T at_;
    const T step_, end_;
  };

  __device__ StridedRange(T first, T step, T end) : first_(first < end ? first : end), step_(step), end_(end) {}
  __device__ Iterator begin() const { return Iterator(first_, step_, end_); }
  __device__ Iterator end() const { return Iterator(end_, step_, end_); }

 private:
  const T first_, step_, end_;
};

}  // namespace internal

// The elements of [0, count) that this thread is for: for (int i : GpuGridRangeX(n)) out[i] = ...
template <typename T>
__device__ internal::StridedRange<T> GpuGridRangeX(T count) {
  return internal::StridedRange<T>(static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x),
                                   static_cast<T>(gridDim.x * blockDim.x), count);
}
template <typename T>
__device__ internal::StridedRange<T> GpuGridRangeY(T count) {
  return internal::StridedRange<T>(static_cast<T>(blockIdx.y * blockDim.y + threadIdx.y),
                                   static_cast<T>(gridDim.y * blockDim.y), count);
}
template <typename T>
__device__ internal::StridedRange<T> GpuGridRangeZ(T count) {
  return internal::StridedRange<T>(static_cast<T>(blockIdx.z * blockDim.z + threadIdx.z),
                                   static_cast<T>(gridDim.z * blockDim.z), count);
}

// Reads what no kernel writes meanwhile through the read-only cache, where the type has such a load.
template <typename T>
__device__ T ldg(const T* address) {
  return *address;
}
inline __device__ float ldg(const float* address) {
  return __ldg(address);
}
inline __device__ double ldg(const double* address) {
  return __ldg(address);
}
inline __device__ int32 ldg(const int32* address) {
  return __ldg(address);
}
inline __device__ uint32 ldg(const uint32* address) {
  return __ldg(address);
}
template <typename T>
__device__ T GpuLdg(const T* address) {
  return ldg(address);
}

// Each answers what *address was before.
template <typename T, typename U>
__device__ T GpuAtomicAdd(T* address, U value) {
  return atomicAdd(address, static_cast<T>(value));
}
template <typename T, typename U>
__device__ T GpuAtomicSub(T* address, U value) {
  return atomicAdd(address, static_cast<T>(-static_cast<T>(value)));
}
template <typename T, typename U>
__device__ T GpuAtomicMax(T* address, U value) {
  return atomicMax(address, static_cast<T>(value));
}
template <typename T, typename U>
__device__ T GpuAtomicMin(T* address, U value) {
  return atomicMin(address, static_cast<T>(value));
}
template <typename T>
__device__ T GpuAtomicCas(T* address, T expected, T value) {
  return atomicCAS(address, expected, value);
}

namespace internal {

struct MaxWith {
  float other;
  __device__ float operator()(float x) const { return x < other ? other : x; }
};
struct MinWith {
  float other;
  __device__ float operator()(float x) const { return other < x ? other : x; }
};
struct ProductWith {
  float other;
  __device__ float operator()(float x) const { return x * other; }
};
struct QuotientWith {
  float other;
  __device__ float operator()(float x) const { return x / other; }
};

// Replaces *address by combine(*address), for types of 4 bytes that the card compares as words.
template <typename Fn>
__device__ float ReplaceFloat(float* address, Fn combine) {
  static_assert(sizeof(float) == sizeof(int), "");
  union Word {
    float number;
    int bits;
    __device__ Word() {}
  } old, assumed, wanted;
  old.number = *address;
  do {
    assumed.bits = old.bits;
    wanted.number = combine(assumed.number);
    old.bits = atomicCAS(reinterpret_cast<int*>(address), assumed.bits, wanted.bits);
  } while (old.bits != assumed.bits);
  return old.number;
}

}  // namespace internal

template <typename U>
__device__ float GpuAtomicMax(float* address, U value) {
  return internal::ReplaceFloat(address, internal::MaxWith{static_cast<float>(value)});
}
template <typename U>
__device__ float GpuAtomicMin(float* address, U value) {
  return internal::ReplaceFloat(address, internal::MinWith{static_cast<float>(value)});
}
template <typename U>
__device__ float GpuAtomicMul(float* address, U value) {
  return internal::ReplaceFloat(address, internal::ProductWith{static_cast<float>(value)});
}
template <typename U>
__device__ float GpuAtomicDiv(float* address, U value) {
  return internal::ReplaceFloat(address, internal::QuotientWith{static_cast<float>(value)});
}

inline constexpr unsigned kCudaWarpAll = 0xffffffff;
inline constexpr unsigned kGpuWarpAll = 0xffffffff;

inline __device__ unsigned GpuLaneId() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u;
}
template <typename T>
__device__ T GpuShuffleSync(unsigned mask, T value, int lane, int width = 32) {
  return __shfl_sync(mask, value, lane, width);
}
template <typename T>
__device__ T GpuShuffleUpSync(unsigned mask, T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(mask, value, delta, width);
}
template <typename T>
__device__ T GpuShuffleDownSync(unsigned mask, T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(mask, value, delta, width);
}
template <typename T>
__device__ T GpuShuffleXorSync(unsigned mask, T value, int lanes, int width = 32) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
inline __device__ void GpuSyncWarp(unsigned mask = kGpuWarpAll) {
  __syncwarp(mask);
}
inline __device__ unsigned GpuBallotSync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate);
}
inline __device__ int GpuAnySync(unsigned mask, int predicate) {
  return __any_sync(mask, predicate);
}
inline __device__ int GpuAllSync(unsigned mask, int predicate) {
  return __all_sync(mask, predicate);
}

// Kernels that fill `count` elements.
template <typename T>
__global__ void SetZero(int count, T* out) {
  for (int i : GpuGridRangeX<int>(count)) out[i] = T(0);
}
template <typename T, typename Value>
__global__ void SetToValue(int count, T* out, Value value) {
  for (int i : GpuGridRangeX<int>(count)) out[i] = static_cast<T>(value);
}

}  // namespace OPSRUN_HIDDEN

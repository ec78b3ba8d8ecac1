// tests/cuda/emulation/include/cuda_runtime.h: replaces the CUDA runtime's header where a C++ compiler compiles
// kernels, so that they run without a card, on the fake driver.
//
// Each thread of a block is a fiber. Not supported: __CUDA_ARCH__, textures, cooperative groups, more than 48 KiB of
// shared memory. <<<...>>> and `extern __shared__` are rewritten before compilation (rewrite.py).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OPSRUN_CUDA_EMULATION 1

#include <cuda_runtime_api.h>

#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tests/cuda/emulation/threads.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static
#define __constant__ static
#define __restrict__

#define threadIdx (::opsrun_emulation::Current().thread)
#define blockIdx (::opsrun_emulation::Current().block)
#define blockDim (::opsrun_emulation::Current().block_dim)
#define gridDim (::opsrun_emulation::Current().grid_dim)
inline constexpr int warpSize = 32;

namespace opsrun_emulation {

// The closure of a launch: a stateless function object, and its arguments.
template <typename Kernel, typename... Arguments>
struct Closure {
  Geometry geometry;
  std::tuple<Arguments...> arguments;

  static void Run(const void* closure) {
    const auto one_thread = [](const void* self) {
      std::apply(Kernel(), static_cast<const Closure*>(self)->arguments);
    };
    RunGrid(static_cast<const Closure*>(closure)->geometry, one_thread, closure);
  }
};

// kernel<<<grid, block, shared, stream>>>(arguments...), where Kernel calls it, so template arguments are deduced and
// arguments converted as in a call.
template <typename Kernel>
auto Launch(Kernel, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  static_assert(std::is_empty_v<Kernel>);
  return [=](auto... arguments) {
    static_assert((std::is_trivially_copyable_v<decltype(arguments)> && ...), "a kernel takes plain data");
    using Closed = Closure<Kernel, decltype(arguments)...>;
    const Closed closure{{grid, block, shared}, {arguments...}};
    return Enqueue(closure.geometry, stream, &Closed::Run, &closure, sizeof(closure));
  };
}

// The same for a function pointer.
template <typename... Parameters>
cudaError_t LaunchWith(void (*kernel)(Parameters...), const Geometry& geometry, cudaStream_t stream,
                       std::decay_t<Parameters>... arguments) {
  const auto call = [](void (*called)(Parameters...), auto... given) { called(given...); };
  return Launch(call, geometry.grid, geometry.block, geometry.shared, stream)(kernel, arguments...);
}

template <typename... Parameters, size_t... kIndices>
cudaError_t LaunchWithPlaces(void (*kernel)(Parameters...), const Geometry& geometry, cudaStream_t stream,
                             void** arguments, std::index_sequence<kIndices...>) {
  return LaunchWith<Parameters...>(kernel, geometry, stream,
                                   *static_cast<std::decay_t<Parameters>*>(arguments[kIndices])...);
}

}  // namespace opsrun_emulation

template <typename... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  return opsrun_emulation::LaunchWithPlaces(kernel, {grid, block, shared}, stream, arguments,
                                            std::index_sequence_for<Parameters...>());
}

inline void __syncthreads() {
  opsrun_emulation::AwaitBlock();
}
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  opsrun_emulation::AwaitWarp(mask);
}
inline void __threadfence() {}
inline void __threadfence_block() {}

template <typename T>
T __ldg(const T* p) {
  return *p;
}

template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize) {
  return opsrun_emulation::Exchange(mask, value, [=](int me) { return me / width * width + (lane & (width - 1)); });
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  return opsrun_emulation::Exchange(mask, value, [=](int me) {
    const int from = me + static_cast<int>(delta);
    return from / width == me / width ? from : me;
  });
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  return opsrun_emulation::Exchange(mask, value, [=](int me) {
    const int from = me - static_cast<int>(delta);
    return from >= 0 && from / width == me / width ? from : me;
  });
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = warpSize) {
  return opsrun_emulation::Exchange(mask, value, [=](int me) {
    const int from = me ^ lanes;
    return from / width == me / width ? from : me;
  });
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned ballot = 0;
  for (int lane = 0; lane < warpSize; ++lane) {
    const int vote = opsrun_emulation::Exchange(mask, predicate != 0 ? 1 : 0, [=](int) { return lane; });
    if ((mask >> lane & 1) != 0 && vote != 0) ballot |= 1u << lane;
  }
  return ballot;
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) == mask;
}
inline unsigned __activemask() {
  return 0xffffffffu;
}

// Not atomic: a single thread of the process runs all threads of the card.
template <typename T>
T atomicAdd(T* at, T value) {
  return std::exchange(*at, static_cast<T>(*at + value));
}
template <typename T>
T atomicSub(T* at, T value) {
  return std::exchange(*at, static_cast<T>(*at - value));
}
template <typename T>
T atomicMax(T* at, T value) {
  return std::exchange(*at, *at < value ? value : *at);
}
template <typename T>
T atomicMin(T* at, T value) {
  return std::exchange(*at, value < *at ? value : *at);
}
template <typename T>
T atomicExch(T* at, T value) {
  return std::exchange(*at, value);
}
template <typename T>
T atomicCAS(T* at, T expected, T value) {
  return std::exchange(*at, *at == expected ? value : *at);
}

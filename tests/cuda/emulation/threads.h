// tests/cuda/emulation/threads.h: the threads of a launch, as fibers of one thread.
//
// Blocks run one after another. The threads of a block run one after another, each until it waits or ends; a wait is
// over when all threads that it waits for have arrived. OPSRUN_DOUBLE_THREADS=reverse starts with the last thread: a
// missing barrier that is hidden in one order is visible in the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace opsrun_emulation {

struct Geometry {
  dim3 grid, block;
  size_t shared = 0;  // bytes of shared memory
};

// The indices of the running thread.
struct ThreadState {
  uint3 thread, block;
  dim3 block_dim, grid_dim;
  int number = 0;  // in its block
};
const ThreadState& Current();

// Runs body(closure) once for each thread of the grid. Called where kernels run.
void RunGrid(const Geometry& geometry, void (*body)(const void* closure), const void* closure);
// Enqueues the launch. An invalid geometry is an error of the launch and the thread's last error.
cudaError_t Enqueue(const Geometry& geometry, cudaStream_t stream, void (*run)(const void* closure),
                    const void* closure, size_t bytes);

// Waits for all threads of the block, or for those of the warp in `mask`. Threads that have ended count.
void AwaitBlock();
void AwaitWarp(unsigned mask);

// `extern __shared__`: filled with a pattern before each block.
void* SharedMemory();

// 16 bytes for each thread of the block.
char* ExchangeSlot(int thread);

// The value of the lane that `from` returns for this one.
template <typename T, typename Fn>
T Exchange(unsigned mask, T value, Fn from) {
  static_assert(sizeof(T) <= 16 && std::is_trivially_copyable_v<T>);
  const int me = Current().number, lane = me % 32;
  std::memcpy(ExchangeSlot(me), &value, sizeof(T));
  AwaitWarp(mask);
  T answer;
  std::memcpy(&answer, ExchangeSlot(me - lane + from(lane)), sizeof(T));
  AwaitWarp(mask);
  return answer;
}

// Calls of this folder to the fake driver.
// INSUFFICIENT_DRIVER: the process has not loaded libcuda.so.1, or it is not the fake driver.
cudaError_t LaunchOnDouble(cudaStream_t stream, void (*run)(const void* closure), const void* closure, size_t bytes);
// Reports an error of the running kernel.
void FaultOfKernel(const char* text);
// Stores an error for cudaGetLastError; returns it.
cudaError_t NoteError(cudaError_t error);

}  // namespace opsrun_emulation

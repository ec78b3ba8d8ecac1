// opsrun_compat/port.h: port::NumSchedulableCPUs and relatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace port {

constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

// For functions that take the number of a memory node.
constexpr int kNUMANoAffinity = -1;

inline int NumSchedulableCPUs() {
  const unsigned n = std::thread::hardware_concurrency();
  return n == 0 ? 1 : static_cast<int>(n);
}
inline int MaxParallelism() {
  return NumSchedulableCPUs();
}
inline int NumTotalCPUs() {
  return NumSchedulableCPUs();
}
inline int NumHyperthreadsPerCore() {
  return 1;
}

// Requires: alignment is a power of 2 and a multiple of sizeof(void*). NULL: out of memory.
inline void* AlignedMalloc(size_t size, int alignment) {
  void* memory = nullptr;
  return posix_memalign(&memory, static_cast<size_t>(alignment), size) == 0 ? memory : nullptr;
}
inline void AlignedFree(void* memory) {
  free(memory);
}
inline void* Malloc(size_t size) {
  return malloc(size);
}
inline void* Realloc(void* memory, size_t size) {
  return realloc(memory, size);
}
inline void Free(void* memory) {
  free(memory);
}
inline std::string Hostname() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return name;
}

enum PrefetchHint { PREFETCH_HINT_T0 = 3, PREFETCH_HINT_NTA = 0 };
template <PrefetchHint hint>
void prefetch(const void* address) {
  __builtin_prefetch(address, 0, hint);
}

}  // namespace port
}  // namespace OPSRUN_HIDDEN

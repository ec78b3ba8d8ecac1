// host/base/large_pages.h: large blocks of memory in large pages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace opsrun::host {

// Requests pages of 2 MiB for a large block, as NumPy does for its arrays: loops over memory are up to a third faster.
// The system may refuse. Call it before writing to the block.
inline void UseLargePages([[maybe_unused]] void* block, [[maybe_unused]] size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr size_t kLarge = size_t{4} << 20, kPage = 4096;
  if (bytes < kLarge) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(block) + kPage - 1) / kPage * kPage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(block) + bytes) / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace opsrun::host

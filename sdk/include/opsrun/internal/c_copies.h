// opsrun/internal/c_copies.h: NUL-terminated copies of borrowed texts, for tstring::c_str().
//
// The bytes of a host's string element are not necessarily NUL-terminated, since they may be part of a larger text. A
// copy belongs to the thread that requested it, and lives until the innermost scope that was open then on this thread
// ends: a call of Compute, of a constructor or of a shape function, or a block of a parallel loop. Plugins that never
// request one pay for two reads of one variable per call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <memory>
#include <new>
#include <vector>

#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

[[noreturn]] inline void ThrowBadAlloc() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc();
#else
  abort();
#endif
}

// True once any thread of this plugin has made a copy.
inline std::atomic<bool> any_c_copies{false};

inline std::vector<std::unique_ptr<char[]>>& CCopies() {
  thread_local std::vector<std::unique_ptr<char[]>> copies;
  return copies;
}

// A NUL-terminated copy of the n bytes at `bytes`.
inline const char* CopyWithNul(const char* bytes, size_t n) {
  std::unique_ptr<char[]> copy(new char[n + 1]);
  memcpy(copy.get(), bytes, n);
  copy[n] = '\0';
  any_c_copies.store(true, std::memory_order_relaxed);
  CCopies().push_back(std::move(copy));
  return CCopies().back().get();
}

// Deletes the copies that this thread made since the scope began.
class CCopiesScope {
 public:
  CCopiesScope() : first_(any_c_copies.load(std::memory_order_relaxed) ? CCopies().size() : 0) {}
  CCopiesScope(const CCopiesScope&) = delete;
  ~CCopiesScope() {
    if (any_c_copies.load(std::memory_order_relaxed)) CCopies().resize(first_);
  }

 private:
  const size_t first_;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// opsrun/internal/string_memory.h: counts the bytes that the strings of this plugin own against the limit of a host.
//
// A string may belong to no host, and outlive one. So all strings of a plugin count for one host: the first that has
// loaded it, until that shuts it down. Each thread reports its sum in steps of 64 KiB.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"

struct OPSRUN_HIDDEN opsrun_sdk_string_memory {
  std::atomic<const opsrun_host*> host{nullptr};
  std::atomic<int64_t> reserved{0};  // bytes of that host
  std::atomic<int32_t> asking{0};    // threads that may be using it
};
inline OPSRUN_HIDDEN opsrun_sdk_string_memory opsrun_sdk_strings;

// NULL: the host counts no memory of plugins.
inline OPSRUN_HIDDEN const opsrun_memory* opsrun_sdk_memory_of(const opsrun_host* host) {
  constexpr char kId[] = OPSRUN_MEMORY_1;
  return static_cast<const opsrun_memory*>(host->query(host, {kId, sizeof(kId) - 1}));
}

inline OPSRUN_HIDDEN void opsrun_sdk_give_back_strings(const opsrun_host* host, int64_t bytes) {
  int64_t now = opsrun_sdk_strings.reserved.load();
  while (!opsrun_sdk_strings.reserved.compare_exchange_weak(now, now - (bytes < now ? bytes : now))) {
  }
  const opsrun_memory* const memory = opsrun_sdk_memory_of(host);
  if (memory != nullptr) memory->give_back(host, static_cast<uint64_t>(bytes < now ? bytes : now));
}

// Counts bytes, or no longer counts them if they are negative. False if that would be beyond the limit.
inline OPSRUN_HIDDEN __attribute__((cold, noinline)) bool opsrun_sdk_count_strings(int64_t bytes) {
  bool counted = true;
  ++opsrun_sdk_strings.asking;
  if (const opsrun_host* const host = opsrun_sdk_strings.host.load()) {
    const opsrun_memory* const memory = opsrun_sdk_memory_of(host);
    if (bytes < 0) {
      opsrun_sdk_give_back_strings(host, -bytes);
    } else if (memory != nullptr) {
      counted = memory->reserve(host, static_cast<uint64_t>(bytes)) == OPSRUN_OK;
      if (counted) opsrun_sdk_strings.reserved += bytes;
    }
  }
  --opsrun_sdk_strings.asking;
  return counted;
}

// The next host, or NULL. The old one may end when this has returned.
inline OPSRUN_HIDDEN void opsrun_sdk_count_strings_for(const opsrun_host* host) {
  const opsrun_host* const old = opsrun_sdk_strings.host.exchange(nullptr);
  while (opsrun_sdk_strings.asking.load() != 0) sched_yield();
  if (old != nullptr) opsrun_sdk_give_back_strings(old, INT64_MAX);
  opsrun_sdk_strings.host = host;
}

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The bytes of strings that this thread has not reported yet.
inline int64_t& UnreportedStrings() {
  static thread_local int64_t bytes = 0;
  return bytes;
}

// False if they would be beyond the limit.
inline bool CountString(int64_t bytes) {
  constexpr int64_t kStep = 64 * 1024;
  int64_t& sum = UnreportedStrings();
  sum += bytes;
  if (-kStep < sum && sum < kStep) return true;
  const int64_t all = sum;
  sum = 0;
  if (opsrun_sdk_count_strings(all)) return true;
  sum = all - bytes;
#if defined(__cpp_exceptions)
  return false;
#else
  return true;  // who asks could only end the program
#endif
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

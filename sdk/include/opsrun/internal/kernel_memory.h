// opsrun/internal/kernel_memory.h: memory of kernel objects.
//
// The objects of one size are next to each other, in the order in which the host created them, which is the order of a
// run: a large graph does not fit into the cache, and the processor fetches ahead what is read in sequence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <new>

#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Freed memory is kept for other objects of that size. Any thread.
class KernelMemory {
 public:
  // Throws std::bad_alloc.
  OPSRUN_COLD static void* New(size_t bytes) {
    const size_t units = Units(bytes);
    if (units > kMostUnits) return ::operator new(bytes);
    const Lock lock;
    if (Freed* freed = freed_[units]) {
      freed_[units] = freed->next;
      return freed;
    }
    if (left_ < units) {
      next_ = static_cast<char*>(::operator new(kBlockUnits* kUnit));
      left_ = kBlockUnits;
    }
    left_ -= units;
    next_ += units * kUnit;
    return next_ - units * kUnit;
  }
  OPSRUN_COLD static void Delete(void* object, size_t bytes) {
    const size_t units = Units(bytes);
    if (units > kMostUnits) return ::operator delete(object);
    const Lock lock;
    freed_[units] = new (object) Freed{freed_[units]};
  }

 private:
  struct Freed {
    Freed* next;
  };
  struct Lock {
    __attribute__((always_inline)) Lock() {
      while (__atomic_test_and_set(&is_locked_, __ATOMIC_ACQUIRE)) {
      }
    }
    ~Lock() { __atomic_clear(&is_locked_, __ATOMIC_RELEASE); }
  };
  static size_t Units(size_t bytes) { return (bytes + kUnit - 1) / kUnit; }

  static constexpr size_t kUnit = alignof(max_align_t), kBlockUnits = 2048;
#if defined(__SANITIZE_ADDRESS__)
  static constexpr size_t kMostUnits = 0;  // to find uses of deleted objects
#else
  static constexpr size_t kMostUnits = 16;
#endif

  static inline Freed* freed_[kMostUnits + 1] = {};  // by size
  static inline char* next_ = nullptr;               // in the block that is being handed out
  static inline size_t left_ = 0;
  static inline bool is_locked_ = false;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

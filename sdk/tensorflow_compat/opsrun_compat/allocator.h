// opsrun_compat/allocator.h: Allocator, for memory of a kernel that belongs to no tensor. Kernels allocate tensors with
// allocate_output and allocate_temp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdlib.h>

#include <string>

#include "opsrun/allocator_attributes.h"
#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// CPU memory of the C library. Any thread.
class Allocator {
 public:
  static constexpr size_t kAllocatorAlignment = 64;

  virtual ~Allocator() = default;
  virtual std::string Name() { return "cpu"; }
  // NULL: there is not enough memory. Requires: `alignment` is a power of two.
  virtual void* AllocateRaw(size_t alignment, size_t bytes) {
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment + (bytes == 0 ? alignment : 0));
  }
  virtual void* AllocateRaw(size_t alignment, size_t bytes, const AllocationAttributes& /*attributes*/) {
    return AllocateRaw(alignment, bytes);
  }
  virtual void DeallocateRaw(void* memory) { free(memory); }

  static Allocator* Cpu() {
    static Allocator allocator;
    return &allocator;
  }
};

inline Allocator* cpu_allocator(int /*numa_node*/ = 0) {
  return Allocator::Cpu();
}

}  // namespace OPSRUN_HIDDEN

// opsrun_compat/allocator.h: Allocator, cpu_allocator and TypedAllocator: memory for data other than tensors.
//
// Kernels allocate tensors with allocate_output and allocate_temp, which do not use these.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <limits>
#include <string>
#include <type_traits>

#include "opsrun/allocator_attributes.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/platform.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Sources may derive their own allocators from this class. Thread-safe.
class Allocator {
 public:
  static constexpr size_t kAllocatorAlignment = 64;

  virtual ~Allocator() = default;
  virtual std::string Name() = 0;
  // NULL: out of memory. alignment: a power of 2.
  virtual void* AllocateRaw(size_t alignment, size_t num_bytes) = 0;
  virtual void* AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& /*wishes*/) {
    return AllocateRaw(alignment, num_bytes);
  }
  virtual void DeallocateRaw(void* memory) = 0;

  // Allocates with the C library. Lives as long as the plugin.
  static Allocator* Cpu();
};

namespace internal {

class CpuAllocator final : public Allocator {
 public:
  using Allocator::AllocateRaw;
  std::string Name() override { return "cpu"; }
  void* AllocateRaw(size_t alignment, size_t num_bytes) override {
    return port::AlignedMalloc(num_bytes, static_cast<int>(alignment < sizeof(void*) ? sizeof(void*) : alignment));
  }
  void DeallocateRaw(void* memory) override { port::AlignedFree(memory); }
};

}  // namespace internal

inline Allocator* Allocator::Cpu() {
  static Allocator* const allocator = new internal::CpuAllocator;
  return allocator;
}
inline Allocator* cpu_allocator(int /*numa_node*/ = port::kNUMANoAffinity) {
  return Allocator::Cpu();
}

// Allocates arrays of constructed objects.
class TypedAllocator {
 public:
  // NULL: out of memory.
  template <typename T>
  static T* Allocate(Allocator* allocator, size_t count, const AllocationAttributes& wishes) {
    if (count > std::numeric_limits<size_t>::max() / sizeof(T)) return nullptr;
    void* const memory = allocator->AllocateRaw(Allocator::kAllocatorAlignment, count * sizeof(T), wishes);
    T* const objects = static_cast<T*>(memory);
    if constexpr (!std::is_trivially_default_constructible_v<T>) {
      for (size_t i = 0; objects != nullptr && i < count; ++i) new (&objects[i]) T();
    }
    return objects;
  }
  // objects may be NULL.
  template <typename T>
  static void Deallocate(Allocator* allocator, T* objects, size_t count) {
    if (objects == nullptr) return;
    for (size_t i = 0; i < count; ++i) objects[i].~T();
    allocator->DeallocateRaw(objects);
  }
};

}  // namespace OPSRUN_HIDDEN

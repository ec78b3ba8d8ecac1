// host/run/slab.h: many objects of different types in one block, in the order of allocation. Private to this room.
//
// Make the same calls twice: without memory it measures the size, with memory it places the objects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace opsrun::host {

class Slab {
 public:
  explicit Slab(void* memory) : memory_(static_cast<char*>(memory)) {}

  void Align(size_t alignment) { used_ = (used_ + alignment - 1) / alignment * alignment; }

  // n value-initialised objects; null while measuring, and if n is 0.
  template <typename T>
  T* Take(size_t n) {
    Align(alignof(T));
    char* at = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += n * sizeof(T);
    if (at == nullptr || n == 0) return nullptr;
    auto* objects = reinterpret_cast<T*>(at);
    for (size_t i = 0; i < n; ++i) new (objects + i) T{};
    return objects;
  }

  size_t used() const { return used_; }

 private:
  char* memory_;
  size_t used_ = 0;
};

}  // namespace opsrun::host

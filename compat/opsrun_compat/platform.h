// opsrun_compat/platform.h: the processor, small parts of TensorFlow's platform layer, allocators, and the version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>
#include <fenv.h>
#include <unistd.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "opsrun/allocator_attributes.h"
#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Requires: the object is of the derived class. This is not checked.
template <typename To, typename From>
To down_cast(From* from) {
  static_assert(std::is_base_of_v<From, std::remove_pointer_t<To>>,
                "the class must be derived from that of the object");
  return static_cast<To>(from);
}

template <typename To, typename From>
To down_cast(From& from) {
  static_assert(std::is_base_of_v<From, std::remove_reference_t<To>>,
                "the class must be derived from that of the object");
  return static_cast<To>(from);
}

namespace port {

// "std::vector<int>" for typeid(...).name(). Other text is returned unchanged.
inline std::string MaybeAbiDemangle(const char* name) {
  int failed = 0;
  char* const readable = abi::__cxa_demangle(name, nullptr, nullptr, &failed);
  std::string text = failed == 0 ? readable : name;
  free(readable);
  return text;
}

inline constexpr auto& Demangle = MaybeAbiDemangle;

// clang-format off
enum CPUFeature {
  SSE, SSE2, SSE3, SSSE3, SSE4_1, SSE4_2, POPCNT, BMI1, BMI2, AVX, AVX2, FMA, AVX512F, AVX512VL, AVX512BW, AVX512DQ
};
// clang-format on

// Whether this machine has some instructions. False on machines other than x86.
inline bool TestCPUFeature([[maybe_unused]] CPUFeature feature) {
#if defined(__x86_64__)
  const bool has[] = {
      __builtin_cpu_supports("sse") != 0,      __builtin_cpu_supports("sse2") != 0,
      __builtin_cpu_supports("sse3") != 0,     __builtin_cpu_supports("ssse3") != 0,
      __builtin_cpu_supports("sse4.1") != 0,   __builtin_cpu_supports("sse4.2") != 0,
      __builtin_cpu_supports("popcnt") != 0,   __builtin_cpu_supports("bmi") != 0,
      __builtin_cpu_supports("bmi2") != 0,     __builtin_cpu_supports("avx") != 0,
      __builtin_cpu_supports("avx2") != 0,     __builtin_cpu_supports("fma") != 0,
      __builtin_cpu_supports("avx512f") != 0,  __builtin_cpu_supports("avx512vl") != 0,
      __builtin_cpu_supports("avx512bw") != 0, __builtin_cpu_supports("avx512dq") != 0,
  };
  return has[feature];
#else
  return false;
#endif
}

// The rounding mode of a thread, and whether it treats subnormal numbers as 0, for the rest of a scope.
namespace internal {

// On machines other than x86, this does nothing.
class ScopedDenormals {
 public:
  explicit ScopedDenormals([[maybe_unused]] bool are_zero) {
#if defined(__SSE__)
    constexpr unsigned kFlushToZero = 0x8000, kAreZero = 0x40;
    const unsigned rest = before_ & ~(kFlushToZero | kAreZero);
    _mm_setcsr(are_zero ? rest | kFlushToZero | kAreZero : rest);
#endif
  }
  ScopedDenormals(const ScopedDenormals&) = delete;
  ~ScopedDenormals() {
#if defined(__SSE__)
    _mm_setcsr(before_);
#endif
  }

#if defined(__SSE__)
 private:
  unsigned before_ = _mm_getcsr();
#endif
};

}  // namespace internal

class ScopedFlushDenormal : internal::ScopedDenormals {
 public:
  ScopedFlushDenormal() : ScopedDenormals(true) {}
};

class ScopedDontFlushDenormal : internal::ScopedDenormals {
 public:
  ScopedDontFlushDenormal() : ScopedDenormals(false) {}
};

// mode: FE_TONEAREST and so on.
class ScopedSetRound {
 public:
  explicit ScopedSetRound(int mode) : before_(fegetround()) { fesetround(mode); }
  ScopedSetRound(const ScopedSetRound&) = delete;
  ~ScopedSetRound() { fesetround(before_); }

 private:
  int before_;
};

constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

// "no node", for functions that take the number of a NUMA node.
constexpr int kNUMANoAffinity = -1;

inline int NumSchedulableCPUs() {
  const unsigned n = std::thread::hardware_concurrency();
  return n == 0 ? 1 : static_cast<int>(n);
}

inline constexpr auto &MaxParallelism = NumSchedulableCPUs, &NumTotalCPUs = NumSchedulableCPUs;

inline int NumHyperthreadsPerCore() {
  return 1;
}

// Requires: alignment is a power of 2 and a multiple of sizeof(void*). NULL: out of memory.
inline void* AlignedMalloc(size_t size, int alignment) {
  void* memory = nullptr;
  return posix_memalign(&memory, static_cast<size_t>(alignment), size) == 0 ? memory : nullptr;
}

inline constexpr auto &AlignedFree = ::free, &Free = ::free;
inline constexpr auto& Malloc = ::malloc;
inline constexpr auto& Realloc = ::realloc;

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

// Memory for data other than tensors. Sources may derive their own allocators from this class. Thread-safe.
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

// Empty: opsrun itself prints where a plugin crashes.
inline std::string CurrentStackTrace() {
  return "";
}

}  // namespace OPSRUN_HIDDEN

// Has no effect: opsrun does not have data sets, whose functions may run this op in TensorFlow.
#define ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS(op) static_assert(sizeof(op) > 1, "expected the name of an op")

// The version of TensorFlow that sources see.
#ifndef TF_MAJOR_VERSION
#define TF_MAJOR_VERSION 2
#define TF_MINOR_VERSION 18
#define TF_PATCH_VERSION 0
#define TF_VERSION_SUFFIX ""
#endif
#define TF_VERSION_STRING "2.18.0"

#define TF_GRAPH_DEF_VERSION_MIN_PRODUCER 0
#define TF_GRAPH_DEF_VERSION_MIN_CONSUMER 0
#define TF_GRAPH_DEF_VERSION 1987

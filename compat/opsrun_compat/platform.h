// opsrun_compat/platform.h: the processor, and small parts of TensorFlow's platform layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>
#include <fenv.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <type_traits>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace port {

// "std::vector<int>" for typeid(...).name(). Other text is returned unchanged.
inline std::string MaybeAbiDemangle(const char* name) {
  int failed = 0;
  char* const readable = abi::__cxa_demangle(name, nullptr, nullptr, &failed);
  std::string text = failed == 0 ? readable : name;
  free(readable);
  return text;
}

inline std::string Demangle(const char* name) {
  return MaybeAbiDemangle(name);
}

}  // namespace port

// down_cast, a cast from a class to a derived one.

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

// port::TestCPUFeature: whether this machine has some instructions.

namespace port {

enum CPUFeature {
  SSE,
  SSE2,
  SSE3,
  SSSE3,
  SSE4_1,
  SSE4_2,
  POPCNT,
  BMI1,
  BMI2,
  AVX,
  AVX2,
  FMA,
  AVX512F,
  AVX512VL,
  AVX512BW,
  AVX512DQ
};

// False on machines other than x86.
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

}  // namespace port

}  // namespace OPSRUN_HIDDEN

// The rounding mode of a thread, and whether it treats subnormal numbers as 0, for the rest of a scope.

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace port {
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

// port::NumSchedulableCPUs and relatives.

constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

// "no node", for functions that take the number of a NUMA node.
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

// CurrentStackTrace is empty: opsrun itself prints where a plugin crashes.

inline std::string CurrentStackTrace() {
  return "";
}

}  // namespace OPSRUN_HIDDEN

// Has no effect: opsrun does not have data sets.

// In TensorFlow, allows functions of data sets to run this op although it is stateful.
#define ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS(op) static_assert(sizeof(op) > 1, "expected the name of an op")

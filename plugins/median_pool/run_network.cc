// SPDX-License-Identifier: Apache-2.0
#include "run_network.h"

#include <cstring>

namespace median_pool {
namespace {

// Operands may lie further right in the slot of a result, never further left: what is read was not yet written.
template <typename T, int kBytes>
struct Wide {
  typedef T Vector __attribute__((vector_size(kBytes)));
  static constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(T));

  __attribute__((always_inline)) static inline void Both(const T* a, const T* b, T* low, T* high, int64_t count) {
    for (int64_t i = 0; i < count; i += kLanes) {
      Vector x, y;
      std::memcpy(&x, a + i, kBytes);
      std::memcpy(&y, b + i, kBytes);
      const Vector less = x < y ? x : y, more = x > y ? x : y;
      std::memcpy(low + i, &less, kBytes);
      std::memcpy(high + i, &more, kBytes);
    }
  }
  __attribute__((always_inline)) static inline void Low(const T* a, const T* b, T* low, int64_t count) {
    for (int64_t i = 0; i < count; i += kLanes) {
      Vector x, y;
      std::memcpy(&x, a + i, kBytes);
      std::memcpy(&y, b + i, kBytes);
      const Vector less = x < y ? x : y;
      std::memcpy(low + i, &less, kBytes);
    }
  }
  __attribute__((always_inline)) static inline void High(const T* a, const T* b, T* high, int64_t count) {
    for (int64_t i = 0; i < count; i += kLanes) {
      Vector x, y;
      std::memcpy(&x, a + i, kBytes);
      std::memcpy(&y, b + i, kBytes);
      const Vector more = x > y ? x : y;
      std::memcpy(high + i, &more, kBytes);
    }
  }

  __attribute__((always_inline)) static inline void Run(const Network& network, T* slots, int64_t pitch,
                                                        int64_t channels, int64_t count) {
    for (const Comparison& c : network.comparisons) {
      const T* a = slots + c.a * pitch + c.a_shift * channels;
      const T* b = slots + c.b * pitch + c.b_shift * channels;
      const int64_t made = count + c.extra * channels;
      if (c.high == Comparison::kNone) {
        Low(a, b, slots + c.low * pitch, made);
      } else if (c.low == Comparison::kNone) {
        High(a, b, slots + c.high * pitch, made);
      } else {
        Both(a, b, slots + c.low * pitch, slots + c.high * pitch, made);
      }
    }
  }
};

#if defined(__x86_64__)
template <typename T>
__attribute__((target("avx2"))) void RunAvx2(const Network& network, T* slots, int64_t pitch, int64_t channels,
                                             int64_t count) {
  Wide<T, 32>::Run(network, slots, pitch, channels, count);
}
bool HasAvx2() {
  return __builtin_cpu_supports("avx2");
}
#else
template <typename T>
void RunAvx2(const Network&, T*, int64_t, int64_t, int64_t) {}
bool HasAvx2() {
  return false;
}
#endif

template <typename T>
void RunWidest(const Network& network, T* slots, int64_t pitch, int64_t channels, int64_t count) {
  static const bool has_avx2 = HasAvx2();
  if (has_avx2) return RunAvx2(network, slots, pitch, channels, count);
  Wide<T, 16>::Run(network, slots, pitch, channels, count);
}

}  // namespace

void RunNetwork(const Network& network, float* slots, int64_t pitch, int64_t channels, int64_t count) {
  RunWidest(network, slots, pitch, channels, count);
}

void RunNetwork(const Network& network, uint8_t* slots, int64_t pitch, int64_t channels, int64_t count) {
  RunWidest(network, slots, pitch, channels, count);
}

}  // namespace median_pool

// opsrun_compat/float_modes.h: how a thread rounds, and whether very small numbers are 0 for it, for the rest of a
// scope.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fenv.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace port {
namespace internal {

// On other machines than x86, nothing changes.
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

}  // namespace port
}  // namespace OPSRUN_HIDDEN

// absl/numeric/int128.h: absl::int128 and uint128, which are the compiler's own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
inline uint128 MakeUint128(uint64_t high, uint64_t low) {
  return static_cast<uint128>(high) << 64 | low;
}
inline uint64_t Uint128High64(uint128 x) {
  return static_cast<uint64_t>(x >> 64);
}
inline uint64_t Uint128Low64(uint128 x) {
  return static_cast<uint64_t>(x);
}
OPSRUN_ABSL_END

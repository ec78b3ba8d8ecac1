// opsrun/bounds_check.h: FastBoundsCheck, for indices that are read from tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "opsrun/namespace.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// True if 0 <= index < limit; a single comparison. Requires: limit >= 0.
template <typename Index, typename Limit>
bool FastBoundsCheck(Index index, Limit limit) {
  static_assert(std::is_integral_v<Index> && std::is_integral_v<Limit>, "an index and a limit are whole numbers");
  typedef std::make_unsigned_t<std::common_type_t<Index, Limit>> Unsigned;
  return TF_PREDICT_TRUE(static_cast<Unsigned>(index) < static_cast<Unsigned>(limit));
}

namespace internal {

// Reads the value exactly once, because other threads may change the memory at the same time.
template <typename T>
T SubtleMustCopy(const T& value) {
  static_assert(std::is_integral_v<T>, "only whole numbers are checked and then used");
  return *static_cast<const volatile T*>(&value);
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

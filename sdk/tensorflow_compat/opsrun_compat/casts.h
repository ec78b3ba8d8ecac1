// opsrun_compat/casts.h: down_cast, from a class to one that is derived from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Requires: the object is of that class, which is not checked.
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

}  // namespace OPSRUN_HIDDEN

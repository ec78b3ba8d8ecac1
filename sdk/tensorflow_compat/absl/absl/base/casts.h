// absl/base/casts.h: absl::bit_cast and implicit_cast.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <type_traits>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

template <typename To>
constexpr To implicit_cast(typename std::enable_if<true, To>::type value) {
  return value;
}

template <typename To, typename From>
To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast is for types of one size");
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

template <typename To, typename From>
To down_cast(From* from) {
  return static_cast<To>(from);
}

OPSRUN_ABSL_END

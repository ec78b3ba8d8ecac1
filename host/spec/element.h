// host/spec/element.h: elements of a value that are known before the run, as dimensions: see set_output_value in
// c_api.h.
//
// An element that is not a size has a `value` below -1, which no dimension of a shape has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "opsrun/c_api.h"

namespace opsrun::host::spec {

// Of an element of which nothing is known.
constexpr int64_t kNothingKnown = std::numeric_limits<int64_t>::min();

inline bool IsSize(const opsrun_dim& element) {
  return element.value >= -1;
}

// The `value` of an element that is this number. What would be the last two numbers is not known.
constexpr int64_t ElementValue(int64_t number) {
  if (number >= 0) return number;
  return number <= kNothingKnown + 1 ? kNothingKnown : number - 1;
}

// The number that a `value` is; nothing if it is not known.
constexpr std::optional<int64_t> NumberOf(int64_t value) {
  if (value >= 0) return value;
  if (value == -1 || value == kNothingKnown) return std::nullopt;
  return value + 1;
}

}  // namespace opsrun::host::spec

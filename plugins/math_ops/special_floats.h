// plugins/math_ops/special_floats.h: numbers for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// tests/vectors/named_shape_function.h: shape functions by their names in vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/vectors/shape_call.h"

namespace opsrun::vectors {

// "broadcast", "unchanged_rank2", "unchanged_rank_at_least2"; empty if there is none of that name.
ShapeFunction NamedShapeFunction(const std::string& name);

}  // namespace opsrun::vectors

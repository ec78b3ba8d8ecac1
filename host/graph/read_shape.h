// host/graph/read_shape.h: data types and shapes as a graph writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// A data type that a feed can have, or nothing and an error F103.
std::optional<Located<DType>> ReadDType(const Value& value, Reporter& reporter);

// A list of sizes from 0 on, -1 for an unknown one, or nothing and an error F104. whole: CheckWhole will follow, so
// help does not propose -1.
std::optional<Located<Shape>> ReadShape(const Value& value, Reporter& reporter, bool whole = false);

// Whether every size is known, as `what` needs it; otherwise an error F104.
bool CheckWhole(const Located<Shape>& shape, const std::string& what, Reporter& reporter);

// Whether a tensor of shape `found` is one of those that `declared` (-1: any size) allows.
bool ShapeAllows(const Shape& declared, std::span<const int64_t> found);

}  // namespace opsrun::host

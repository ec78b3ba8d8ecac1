// host/graph/read_random.h: feeds of random numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// The tensor of a feed {random: KIND, seed:, low:, high:, mean:, stddev:}; float64 without a dtype. Nothing and an
// error if the feed is invalid (F107) or memory runs out (D001). Requires: no size in `shape` is -1.
std::optional<Tensor> ReadRandomValue(const Value& feed, const Value& kind, std::optional<DType> dtype,
                                      const Located<Shape>& shape, Reporter& reporter);

}  // namespace opsrun::host

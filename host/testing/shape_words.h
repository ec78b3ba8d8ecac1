// host/testing/shape_words.h: parses the strings of INFER_OK.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "host/spec/attr_value.h"

namespace opsrun::host {

// "[1,?];?": "[1,]" is allowed, spaces and signs are not. INVALID_ARGUMENT with the place and what is expected.
Result<std::vector<spec::PartialShape>> ReadInputShapes(std::string_view text);

// "d0_1": dimension 1 of input 0; "o0_1": of output 0.
struct DimName {
  bool output = false;
  uint32_t tensor = 0;
  uint32_t dim = 0;
};

// "7", "?" or "d0_0|d1_2".
struct DimWord {
  int64_t value = -1;          // -1: unknown
  std::vector<DimName> names;  // if any: one of these dimensions itself
};

// "?", "in0|in2" or "[..]".
struct ShapeWord {
  bool rank_known = false;
  std::vector<uint32_t> inputs;  // if any: the shape of one of these inputs itself
  std::vector<DimWord> dims;
};

struct ShapeWords {
  bool error = false;  // "e": it must fail
  std::vector<ShapeWord> outputs;
};

// As ReadInputShapes; spaces are allowed around a dimension.
Result<ShapeWords> ReadExpectedShapes(std::string_view text);

}  // namespace opsrun::host

// host/testing/shape_answer.h: the result of a shape function in the notation of INFER_OK, and comparing it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "host/spec/op_def.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Parses the strings of INFER_OK.

// "[1,?];?". "[1,]" is allowed; spaces and signs are not. INVALID_ARGUMENT with the place and what is expected there.
Result<std::vector<spec::PartialShape>> ReadInputShapes(std::string_view text);

// "d0_1" is dimension 1 of input 0, "o0_1" that of output 0.
struct DimName {
  bool output = false;
  uint32_t tensor = 0;
  uint32_t dim = 0;
};

// "7", "?" or "d0_0|d1_2".
struct DimWord {
  int64_t value = -1;          // -1: unknown
  std::vector<DimName> names;  // if not empty: must be one of these dimensions
};

// "?", "in0|in2" or "[..]".
struct ShapeWord {
  bool rank_known = false;
  std::vector<uint32_t> inputs;  // if not empty: must be the shape of one of these inputs
  std::vector<DimWord> dims;
};

struct ShapeWords {
  bool error = false;  // "e": inference must fail
  std::vector<ShapeWord> outputs;
};

// As ReadInputShapes; spaces are allowed around a dimension.
Result<ShapeWords> ReadExpectedShapes(std::string_view text);

// The shapes of one inference: of each input, and of each output; null if the function did not set the output.
class ShapeAnswer {
 public:
  ShapeAnswer(std::vector<const opsrun_shape*> inputs, std::vector<const opsrun_shape*> outputs)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  // "[d0_0,2];in1". If several inputs have the same handle, the last one is named.
  std::string Text() const;

  // Empty if each output is as expected, otherwise the first difference.
  std::string WhyNot(const std::vector<ShapeWord>& expected) const;

 private:
  std::string Text(const opsrun_shape* shape) const;
  std::string Text(const opsrun_dim* dim) const;
  std::string WhyNot(const opsrun_shape* found, const ShapeWord& expected) const;
  std::string WhyNot(const opsrun_dim* found, const DimWord& expected) const;
  bool IsInput(const opsrun_shape* shape) const;
  bool IsInputDim(const opsrun_dim* dim) const;
  const opsrun_dim* Find(const DimName& name) const;

  std::vector<const opsrun_shape*> inputs_, outputs_;
};

}  // namespace opsrun::host

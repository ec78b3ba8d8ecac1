// host/spec/parse_op.h: parses spec strings into an OpDef.
//
// The grammar is that of TensorFlow's op registration; see docs/write_an_op.md. Unknown words that TensorFlow skips
// (after a default, inside braces, after the name of a control output) are errors here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/spec/op_def.h"
#include "host/spec/parse_arg.h"
#include "host/spec/parse_attr.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// An op as written by its author.
struct OpStrings {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> control_outputs;
  std::vector<std::string> attrs;
  std::string doc;
  uint32_t flags = 0;
  uint32_t deprecated_version = 0;
  std::string deprecated_text;
};

// Parses the op and returns all errors: those of its strings or, if every string can be parsed, those of the whole op.
// *op is complete only if there are no errors.
std::vector<SpecError> ParseOp(const OpStrings& strings, OpDef* op);

// One entry per member of OpDef.
struct OpPlaces {
  std::vector<AttrPlaces> attrs;
  std::vector<ArgPlaces> inputs;
  std::vector<ArgPlaces> outputs;
};

// Checks the op after each of its strings was parsed into `op` and `places`. Returns at most one error per string, in
// the order: op name, attrs, inputs, outputs.
std::vector<SpecError> ValidateOp(const OpStrings& strings, const OpDef& op, const OpPlaces& places);

}  // namespace opsrun::host::spec

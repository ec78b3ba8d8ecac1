// host/spec/parse_op.h: parses spec strings into an OpDef.
//
// The grammar is that of TensorFlow's op registration; docs/write_an_op.md describes it. Where TensorFlow skips an
// unknown word (after a default, inside braces, after the name of a control output), it is an error here.
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

// An op as its author wrote it.
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

// Parses the op and returns all errors: those of its strings or, if each string can be parsed, those of the op as a
// whole. *op is complete only if the result is empty.
std::vector<SpecError> ParseOp(const OpStrings& strings, OpDef* op);

// Checks an op as a whole after each of its strings was parsed.

// As the members of OpDef.
struct OpPlaces {
  std::vector<AttrPlaces> attrs;
  std::vector<ArgPlaces> inputs;
  std::vector<ArgPlaces> outputs;
};

// The errors, at most one per string, in the order: op name, attrs, inputs, outputs. op was parsed from strings and
// places.
std::vector<SpecError> ValidateOp(const OpStrings& strings, const OpDef& op, const OpPlaces& places);

}  // namespace opsrun::host::spec

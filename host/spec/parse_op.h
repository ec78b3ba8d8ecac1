// host/spec/parse_op.h: parses spec strings into an OpDef.
//
// The grammar is that of TensorFlow's op registration; see docs/write_an_op.md. Unknown words that TensorFlow skips
// (after a default, inside braces, after the name of a control output) are errors here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/spec/op_def.h"
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

// Parses the op and returns all errors: those of its strings or, if every string can be parsed, those of the whole op:
// at most one per string, in the order: doc, op name, attrs, inputs, outputs. *op is complete only if there are none.
std::vector<SpecError> ParseOp(const OpStrings& strings, OpDef* op);

// The strings of an op, one by one. Each returns the error of the string, or nothing.

// An attr: "T: {float, int32} = DT_FLOAT". attr->name is set once it is known, even if the rest is invalid.
std::optional<SpecError> ParseAttr(const std::string& spec, AttrDef* attr, SpecOffsets* offsets);

// One value of `type`, the text after the '=' of an attr, to its end. Fails as the functions of read_literal.h do. Does
// not check whether the attr allows the value.
bool ParseDefault(TextCursor* cursor, AttrType type, AttrValue* value);

// An input or output: "values: N * T". what: "Input" or "Output". attrs: those of the op. The type of an attr without a
// kind, which could not be parsed, is not checked.
std::optional<SpecError> ParseArg(const std::string& spec, const std::string& what, const std::vector<AttrDef>& attrs,
                                  ArgDef* arg, SpecOffsets* offsets);
std::optional<SpecError> ParseControlOutput(const std::string& spec, std::string* name);

// The Doc. Its first non-empty line is the summary; the text up to the first line "name: .." is the description; each
// "name: .." line and the text after it document the input, output or attr of that name. A name that the op does not
// have is an error.
std::optional<SpecError> ParseDoc(const std::string& doc, OpDef* op);

}  // namespace opsrun::host::spec

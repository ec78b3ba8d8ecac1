// tests/host/spec/make_op.h: ops from spec strings, in one line, and the words that cases use for kinds of mistakes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/spec/infer_attrs.h"
#include "host/spec/parse_op.h"

namespace opsrun::host::spec {

using Specs = std::vector<std::string>;

inline OpStrings Strings(Specs attrs, Specs inputs, Specs outputs) {
  OpStrings strings;
  strings.name = "Op";
  strings.attrs = std::move(attrs);
  strings.inputs = std::move(inputs);
  strings.outputs = std::move(outputs);
  return strings;
}

// Fails the test if the strings make no op.
inline OpDef MakeOp(Specs attrs, Specs inputs, Specs outputs) {
  OpDef op;
  std::vector<SpecError> errors = ParseOp(Strings(std::move(attrs), std::move(inputs), std::move(outputs)), &op);
  EXPECT_TRUE(errors.empty()) << SpecErrorsText("Op", errors);
  return op;
}

// "stage/kind" of every mistake.
inline Specs Mistakes(const OpStrings& strings) {
  OpDef op;
  Specs kinds;
  for (const SpecError& error : ParseOp(strings, &op)) kinds.push_back(std::string(error.stage) + "/" + error.kind);
  return kinds;
}

inline std::string Word(InferError::Kind kind) {
  constexpr const char* kWords[] = {// in the order of the kinds
                                    "wrong_input_type", "inconsistent_attr", "list_expected",   "single_expected",
                                    "ref_expected",     "too_few_inputs",    "too_many_inputs", "missing_attr",
                                    "below_minimum",    "above_maximum",     "not_allowed",     "wrong_attr_kind",
                                    "unknown_attr"};
  return kWords[static_cast<size_t>(kind)];
}

}  // namespace opsrun::host::spec

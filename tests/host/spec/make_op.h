// tests/host/spec/make_op.h: ops from spec strings, in one line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/spec/parse_op.h"
#include "tests/host/spec/kind_words.h"

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

}  // namespace opsrun::host::spec

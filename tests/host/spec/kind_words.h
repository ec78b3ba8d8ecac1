// tests/host/spec/kind_words.h: the words that cases use for kinds of mistakes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/spec/infer_attrs.h"

namespace opsrun::host::spec {

inline std::string Word(InferError::Kind kind) {
  constexpr const char* kWords[] = {// in the order of the kinds
                                    "wrong_input_type", "inconsistent_attr", "list_expected",   "single_expected",
                                    "ref_expected",     "too_few_inputs",    "too_many_inputs", "missing_attr",
                                    "below_minimum",    "above_maximum",     "not_allowed",     "wrong_attr_kind",
                                    "unknown_attr"};
  return kWords[static_cast<size_t>(kind)];
}

}  // namespace opsrun::host::spec

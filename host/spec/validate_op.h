// host/spec/validate_op.h: checks an op as a whole after each of its strings was parsed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/spec/op_def.h"
#include "host/spec/parse_arg.h"
#include "host/spec/parse_attr.h"
#include "host/spec/parse_op.h"
#include "host/spec/spec_error.h"

namespace opsrun::host::spec {

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

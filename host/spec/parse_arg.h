// host/spec/parse_arg.h: one input or output: "values: N * T", and the names of control outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/spec/op_def.h"
#include "host/spec/spec_error.h"

namespace opsrun::host::spec {

// The offsets of the parts of an argument in its spec string, for carets. 0: it has no such part.
struct ArgPlaces {
  size_t count = 0;
  size_t type = 0;
};

// The error of the spec, or nothing. what: "Input" or "Output". attrs: those of the op; the type of one without a kind,
// which could not be parsed, is not checked.
std::optional<SpecError> ParseArg(const std::string& spec, const std::string& what, const std::vector<AttrDef>& attrs,
                                  ArgDef* arg, ArgPlaces* places);

std::optional<SpecError> ParseControlOutput(const std::string& spec, std::string* name);

}  // namespace opsrun::host::spec

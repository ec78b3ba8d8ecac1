// host/spec/arg_signature.h: the types of an op's inputs or outputs from the viewpoint of graphs of an older version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// One tensor, or a list whose length or types the older version knows by the name of an attr.
struct SignaturePart {
  std::string type;  // "float32", "T", "N * T"
  std::string name;  // of the argument
  bool is_ref = false;
};

// args: those of `op`. Attrs that `known` has are kept; others are replaced by their defaults: N * T with N = 2 becomes
// two parts, a list of types becomes one part for each type. An attr without a default is kept.
std::vector<SignaturePart> ArgSignature(const std::vector<ArgDef>& args, const OpDef& op, const OpDef& known);

}  // namespace opsrun::host::spec

// host/spec/arg_signature.h: the types of an op's inputs or outputs as graphs of an older version see them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// One tensor, or a list of which the older version knows the length or the types by an attr's name.
struct SignaturePart {
  std::string type;  // "float32", "T", "N * T"
  std::string name;  // of the argument
  bool is_ref = false;
};

// args: those of `op`. Attrs that `known` has stand for themselves; in place of others stand their defaults: N * T with
// N = 2 becomes two parts, a list of types one part for each. An attr without a default stands for itself.
std::vector<SignaturePart> ArgSignature(const std::vector<ArgDef>& args, const OpDef& op, const OpDef& known);

}  // namespace opsrun::host::spec

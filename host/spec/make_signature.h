// host/spec/make_signature.h: from the values of all attrs, the types of all inputs and outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/spec/infer_attrs.h"
#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// attrs: as OpDef::attrs, each of its declared type, or of kind 0 where the value is not known.
Signature MakeSignature(const OpDef& op, std::vector<AttrValue> attrs);

}  // namespace opsrun::host::spec

// host/spec/make_signature.h: computes the types of all inputs and outputs from the values of all attrs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/spec/infer_attrs.h"
#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// attrs: as OpDef::attrs, each of its declared type, or of kind 0 if the value is unknown.
Signature MakeSignature(const OpDef& op, std::vector<AttrValue> attrs);

}  // namespace opsrun::host::spec

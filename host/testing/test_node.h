// host/testing/test_node.h: infers types and attrs of a node for whose inputs only shapes are given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/spec/infer_attrs.h"
#include "opsrun/testing/attr_value.h"

namespace opsrun::host {

using TestAttrs = std::map<std::string, test::AttrValue>;

// The attrs, converted to the types in the op's spec. INVALID_ARGUMENT with the same message as for a graph file.
Result<std::map<std::string, spec::AttrValue>> ConvertAttrs(const spec::OpDef& op, const TestAttrs& attrs);

// The signature of a node with that many inputs. value_types: for each, the type of its value, or DType::kInvalid.
// INVALID_ARGUMENT if there is none: a wrong number of inputs, an attr that is missing or not allowed ...
Result<spec::Signature> SignatureOf(const spec::OpDef& op, const TestAttrs& attrs,
                                    const std::vector<DType>& value_types);

}  // namespace opsrun::host

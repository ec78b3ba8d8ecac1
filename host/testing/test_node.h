// host/testing/test_node.h: infers types and attrs of a node when only shapes of its inputs are given.
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

// The signature of a node with these inputs. value_types: for each input the type of its value, or DType::kInvalid.
// INVALID_ARGUMENT if there is none: a wrong number of inputs, a missing or invalid attr ...
Result<spec::Signature> SignatureOf(const spec::OpDef& op, const TestAttrs& attrs,
                                    const std::vector<DType>& value_types);

}  // namespace opsrun::host

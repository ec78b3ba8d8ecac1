// host/plan/attr_yaml.h: attrs as a graph file writes them, so that reading gives the same value again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/spec/attr_value.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// 3, [float32, int8], {value: [1, 2], dtype: int32}. Nothing for what a graph cannot express: a shape of unknown rank,
// a tensor of shape [0, 2].
std::optional<Value> AttrYaml(const spec::AttrValue& value);

}  // namespace opsrun::host

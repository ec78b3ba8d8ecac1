// host/plan/attr_tensor.h: a tensor that a graph writes as an attr's value. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/yaml/value.h"
#include "host/plan/attr_from_value.h"
#include "host/spec/attr_value.h"

namespace opsrun::host {

// Written like a feed's value: 1.5, [[1, 2], [3, 4]], or {value: [1, 2], dtype: int32}; nothing and the mistake for
// what is none.
std::optional<spec::TensorValue> AttrTensorFromValue(const Value& value, AttrMistake* mistake);

}  // namespace opsrun::host

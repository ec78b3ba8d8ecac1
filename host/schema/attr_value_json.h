// host/schema/attr_value_json.h: the value of an attr as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/schema/definitions.h"
#include "host/spec/attr_value.h"

namespace opsrun::host {

// As a graph would write it, but for what JSON cannot say: ".inf", "-.inf" and ".nan" are texts, a shape of unknown
// rank is null, and of a tensor there are only its data type and shape. list: of an attr that is a list.
Json AttrValueJson(const spec::AttrValue& value, bool list);

}  // namespace opsrun::host

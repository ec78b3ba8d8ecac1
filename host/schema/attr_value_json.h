// host/schema/attr_value_json.h: the value of an attr as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/schema/definitions.h"
#include "host/spec/attr_value.h"

namespace opsrun::host {

// As in a graph file, except for what JSON cannot express: ".inf", "-.inf" and ".nan" are strings, a shape of unknown
// rank is null, a string that is not UTF-8 is {"base64": "/wB6"}, and a tensor has only its data type and shape. list:
// for an attr that is a list.
Json AttrValueJson(const spec::AttrValue& value, bool list);

// A string of an attr, as above.
Json TextJson(const std::string& text);

}  // namespace opsrun::host

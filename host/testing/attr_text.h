// host/testing/attr_text.h: the value of an attr as a graph file would hold it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/yaml/value.h"
#include "opsrun/testing/attr_value.h"

namespace opsrun::host {

// Every part of it has the place `span`.
Value ToValue(const test::AttrValue& value, Span span);

}  // namespace opsrun::host

// absl/types/variant.h: absl::variant, which is std::variant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN
using std::bad_variant_access;
using std::get;
using std::get_if;
using std::holds_alternative;
using std::monostate;
using std::variant;
using std::variant_alternative_t;
using std::variant_size;
using std::visit;
OPSRUN_ABSL_END

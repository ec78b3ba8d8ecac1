// absl/types/optional.h: absl::optional, which is std::optional.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN
using std::bad_optional_access;
using std::in_place;
using std::in_place_t;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
OPSRUN_ABSL_END

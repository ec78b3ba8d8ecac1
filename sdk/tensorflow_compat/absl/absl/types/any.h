// absl/types/any.h: absl::any, which is std::any.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN
using std::any;
using std::any_cast;
using std::bad_any_cast;
using std::make_any;
OPSRUN_ABSL_END

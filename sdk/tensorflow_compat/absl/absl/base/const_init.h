// absl/base/const_init.h: absl::kConstInit, for mutexes at namespace scope.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN
enum ConstInitType { kConstInit };
OPSRUN_ABSL_END

// absl/base/call_once.h: absl::call_once, which is std::call_once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN
using std::call_once;
using std::once_flag;
OPSRUN_ABSL_END

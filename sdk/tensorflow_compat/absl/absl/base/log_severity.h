// absl/base/log_severity.h: absl::LogSeverity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN
enum class LogSeverity : int { kInfo = 0, kWarning = 1, kError = 2, kFatal = 3 };
OPSRUN_ABSL_END

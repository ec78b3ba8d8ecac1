// absl/log/absl_log.h: the SDK's LOG, VLOG, CHECK and relatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/base/config.h"
#include "absl/base/log_severity.h"
#include "opsrun_compat/logging.h"

#define ABSL_LOG(severity) LOG(severity)
#define ABSL_LOG_IF(severity, condition) LOG_IF(severity, condition)
#define ABSL_VLOG(level) VLOG(level)

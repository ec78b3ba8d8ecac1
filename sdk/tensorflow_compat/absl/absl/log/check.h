// absl/log/check.h: the SDK's LOG, VLOG, CHECK and relatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/base/config.h"
#include "absl/base/log_severity.h"
#include "opsrun_compat/logging.h"

// opsrun_absl/logging.h: the SDK's LOG, VLOG, CHECK and relatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun_absl/base.h"
#include "opsrun_compat/logging.h"

#define ABSL_CHECK(condition) CHECK(condition)
#define ABSL_CHECK_EQ(a, b) CHECK_EQ(a, b)
#define ABSL_CHECK_NE(a, b) CHECK_NE(a, b)
#define ABSL_CHECK_LT(a, b) CHECK_LT(a, b)
#define ABSL_CHECK_LE(a, b) CHECK_LE(a, b)
#define ABSL_CHECK_GT(a, b) CHECK_GT(a, b)
#define ABSL_CHECK_GE(a, b) CHECK_GE(a, b)
#define ABSL_CHECK_OK(status) CHECK_OK(status)
#define ABSL_DCHECK(condition) DCHECK(condition)

#define ABSL_LOG(severity) LOG(severity)
#define ABSL_LOG_IF(severity, condition) LOG_IF(severity, condition)
#define ABSL_VLOG(level) VLOG(level)

#define ABSL_DIE_IF_NULL(pointer) CHECK_NOTNULL(pointer)

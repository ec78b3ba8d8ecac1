// absl/log/die_if_null.h: ABSL_DIE_IF_NULL.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/base/config.h"
#include "opsrun_compat/logging.h"

#define ABSL_DIE_IF_NULL(pointer) CHECK_NOTNULL(pointer)

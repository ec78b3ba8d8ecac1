// absl/base/macros.h: ABSL_ARRAYSIZE and assertions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assert.h>
#include <stddef.h>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"

#define ABSL_ARRAYSIZE(array) (sizeof(array) / sizeof((array)[0]))
#define ABSL_ASSERT(condition) assert(condition)
#define ABSL_HARDENING_ASSERT(condition) assert(condition)

// tensorflow/core/platform/status.h: opsrun/status.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun/status.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/logging.h"
#include "opsrun/macros.h"
#include "opsrun_compat/errors.h"

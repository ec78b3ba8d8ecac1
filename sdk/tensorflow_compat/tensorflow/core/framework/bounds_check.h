// tensorflow/core/framework/bounds_check.h: opsrun/bounds_check.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun/bounds_check.h"
#include "opsrun_compat/logging.h"

// tensorflow/core/lib/core/errors.h: opsrun/status.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"
#include "opsrun/status_context.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/logging.h"
#include "opsrun/macros.h"
#include "opsrun/strings.h"
#include "opsrun_compat/errors.h"

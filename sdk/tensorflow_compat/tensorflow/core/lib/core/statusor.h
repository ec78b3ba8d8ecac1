// tensorflow/core/lib/core/statusor.h: opsrun_compat/assign_or_return.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/assign_or_return.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/logging.h"

// tensorflow/tsl/platform/logging.h: opsrun_compat/logging.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/logging.h"

// tensorflow/core/platform/cpu_info.h: opsrun_compat/port.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/port.h"
#include "opsrun_compat/cpu_features.h"

// tensorflow/tsl/util/env_var.h: opsrun_compat/env_var.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/env_var.h"

// tensorflow/tsl/platform/numbers.h: opsrun_compat/numbers.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/numbers.h"
#include "opsrun_compat/absl.h"

// tensorflow/tsl/platform/blocking_counter.h: opsrun_compat/blocking_counter.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/blocking_counter.h"

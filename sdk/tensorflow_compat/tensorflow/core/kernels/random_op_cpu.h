// tensorflow/core/kernels/random_op_cpu.h: opsrun_compat/fill_philox_random.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/fill_philox_random.h"
#include "opsrun_compat/logging.h"

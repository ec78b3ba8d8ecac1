// tensorflow/core/util/gpu_launch_config.h: opsrun/gpu_kernel_helper.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/eigen.h"
#include "opsrun/gpu_kernel_helper.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/logging.h"

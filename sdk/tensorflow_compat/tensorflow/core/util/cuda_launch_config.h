// tensorflow/core/util/cuda_launch_config.h: opsrun/gpu_kernel_helper.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/gpu_kernel_helper.h"

// tensorflow/core/framework/kernel_shape_util.h: opsrun_compat/kernel_shape_util.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/kernel_shape_util.h"
#include "tensorflow/core/util/padding.h"

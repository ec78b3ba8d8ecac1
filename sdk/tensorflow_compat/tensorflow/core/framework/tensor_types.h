// tensorflow/core/framework/tensor_types.h: opsrun/tensor_map.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/eigen.h"
#include "opsrun/tensor_map.h"

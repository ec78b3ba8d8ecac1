// tensorflow/core/framework/common_shape_fns.h: opsrun/common_shape_fns.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/common_shape_fns.h"

// tensorflow/core/framework/bfloat16.h: opsrun/types.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/eigen.h"
#include "opsrun/types.h"
#include "opsrun_compat/bfloat16.h"

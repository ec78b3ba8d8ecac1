// tensorflow/core/framework/tensor_slice.h: opsrun_compat/tensor_slice.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/tensor_slice.h"

// tensorflow/core/kernels/ops_util.h: tensorflow/core/framework/ops_util.h, and what TensorFlow's older header brings along.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/ops_util.h"

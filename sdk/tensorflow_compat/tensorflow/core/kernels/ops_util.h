// tensorflow/core/kernels/ops_util.h: opsrun_compat/ops_util.h, in namespace tensorflow, and what TensorFlow's header brings along.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "opsrun_compat/ops_util.h"
#include "tensorflow/core/util/padding.h"

// tensorflow/core/framework/ops_util.h: opsrun_compat/ops_util.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/ops_util.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/util/padding.h"

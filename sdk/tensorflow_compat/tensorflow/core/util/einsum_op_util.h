// tensorflow/core/util/einsum_op_util.h: opsrun_compat/einsum_op_util.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/einsum_op_util.h"

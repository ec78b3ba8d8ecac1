// tensorflow/core/framework/numeric_op.h: opsrun_compat/numeric_op.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/numeric_op.h"

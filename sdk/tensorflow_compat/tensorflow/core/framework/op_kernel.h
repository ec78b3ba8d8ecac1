// tensorflow/core/framework/op_kernel.h: opsrun/op_kernel.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_kernel.h"

// tensorflow/core/framework/op_kernel.h: opsrun/op_kernel.h, in namespace tensorflow, and headers that sources expect it to include.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/async_op_kernel.h"
#include "opsrun/logging.h"
#include "opsrun/macros.h"
#include "opsrun/op_kernel.h"
#include "opsrun/status_context.h"
#include "opsrun/strings.h"

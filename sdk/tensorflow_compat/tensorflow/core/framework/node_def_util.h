// tensorflow/core/framework/node_def_util.h: opsrun/op_kernel.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/eigen.h"
#include "opsrun/op_kernel.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/logging.h"
#include "opsrun_compat/node_def.h"
#include "opsrun_compat/summarize_attr_value.h"

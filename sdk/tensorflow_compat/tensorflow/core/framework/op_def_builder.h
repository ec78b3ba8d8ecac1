// tensorflow/core/framework/op_def_builder.h: opsrun/op.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun/op.h"
#include "opsrun/shape_inference.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/logging.h"

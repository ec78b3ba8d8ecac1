// tensorflow/core/framework/partial_tensor_shape.h: opsrun/tensor_shape.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun/tensor_shape.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/gtl.h"
#include "opsrun_compat/logging.h"
#include "opsrun_compat/print_shape.h"

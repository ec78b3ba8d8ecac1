// tensorflow/core/framework/tensor.h: opsrun/tensor.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/eigen.h"
#include "opsrun/tensor.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/data_types.h"
#include "opsrun_compat/gtl.h"
#include "opsrun_compat/logging.h"
#include "opsrun_compat/print_shape.h"
#include "opsrun/macros.h"
#include "opsrun/mutex.h"
#include "opsrun/status_context.h"
#include "opsrun_compat/tensor_proto.h"

// tensorflow/core/util/tensor_format.h: opsrun_compat/tensor_format.h, filter_format.h and shape_from_format.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/tensor_format.h"
#include "opsrun_compat/filter_format.h"
#include "opsrun_compat/shape_from_format.h"
#include "opsrun_compat/logging.h"

// tensorflow/core/util/util.h: opsrun_compat/slice_debug_string.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/slice_debug_string.h"
#include "opsrun_compat/build_info.h"

// tensorflow/core/lib/gtl/array_slice.h: opsrun/array_slice.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/array_slice.h"
#include "opsrun_compat/absl.h"

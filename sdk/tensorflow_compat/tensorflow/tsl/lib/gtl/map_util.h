// tensorflow/tsl/lib/gtl/map_util.h: opsrun_compat/map_util.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/map_util.h"

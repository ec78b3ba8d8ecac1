// tensorflow/tsl/lib/gtl/flatmap.h: opsrun_compat/gtl.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/gtl.h"

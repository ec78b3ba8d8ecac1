// tensorflow/core/lib/gtl/top_n.h: opsrun_compat/top_n.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/top_n.h"

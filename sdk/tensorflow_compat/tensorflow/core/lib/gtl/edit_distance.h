// tensorflow/core/lib/gtl/edit_distance.h: opsrun_compat/edit_distance.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/edit_distance.h"

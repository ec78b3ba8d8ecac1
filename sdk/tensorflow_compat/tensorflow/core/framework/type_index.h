// tensorflow/core/framework/type_index.h: see opsrun_compat/type_index.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/type_index.h"

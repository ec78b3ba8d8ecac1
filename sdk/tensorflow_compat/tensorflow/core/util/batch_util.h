// tensorflow/core/util/batch_util.h: opsrun_compat/batch_util.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/batch_util.h"

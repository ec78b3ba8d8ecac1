// tensorflow/tsl/platform/str_util.h: opsrun_compat/str_util.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/str_util.h"
#include "opsrun_compat/absl.h"

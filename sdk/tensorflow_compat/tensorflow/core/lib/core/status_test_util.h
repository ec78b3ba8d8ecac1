// tensorflow/core/lib/core/status_test_util.h: opsrun_compat/status_test_util.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/status_test_util.h"

// tensorflow/tsl/platform/threadpool.h: opsrun_compat/threadpool.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/threadpool.h"

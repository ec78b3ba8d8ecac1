// tensorflow/tsl/platform/refcount.h: opsrun/resource_base.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/resource_base.h"
#include "opsrun/mutex.h"
#include "opsrun_compat/logging.h"

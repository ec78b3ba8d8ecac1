// tensorflow/core/framework/resource_op_kernel.h: opsrun/resource_mgr.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/eigen.h"
#include "opsrun/resource_mgr.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/gtl.h"
#include "opsrun_compat/logging.h"
#include "opsrun/mutex.h"

// tensorflow/core/framework/resource_mgr.h: opsrun/resource_mgr.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/eigen.h"
#include "opsrun/resource_mgr.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/gtl.h"
#include "opsrun_compat/logging.h"
#include "opsrun/async_op_kernel.h"
#include "opsrun/macros.h"
#include "opsrun/mutex.h"
#include "opsrun/strings.h"
#include "opsrun/status_context.h"
#include "opsrun_compat/container_info.h"
#include "opsrun_compat/resource_handle_op.h"

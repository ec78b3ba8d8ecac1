// tensorflow/core/framework/common_shape_fns.h: opsrun/common_shape_fns.h, in namespace tensorflow, and the shape functions of images and others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/logging.h"
#include "opsrun/status_context.h"
#include "tensorflow/core/framework/kernel_shape_util.h"
#include "opsrun_compat/shape_fns_batch_norm.h"
#include "opsrun_compat/shape_fns_conv.h"
#include "opsrun_compat/shape_fns_diag.h"
#include "opsrun_compat/shape_fns_einsum.h"
#include "opsrun_compat/shape_fns_pool.h"
#include "opsrun_compat/shape_fns_rare.h"
#include "opsrun_compat/shape_fns_windows.h"

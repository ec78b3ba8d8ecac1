// opsrun/opsrun.h: includes the core of the SDK: ops, kernels, tensors and shape functions.
//
// Headers such as logging.h, mutex.h, resource_mgr.h, async_op_kernel.h and testing.h must be included separately.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/kernel_def.h"
#include "opsrun/namespace.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/register_types.h"
#include "opsrun/shape_inference.h"
#include "opsrun/shard.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"
#include "opsrun/tensor_map.h"
#include "opsrun/tensor_shape.h"
#include "opsrun/types.h"

// tensorflow/core/framework/op_kernel.h: opsrun/op_kernel.h, in namespace tensorflow, and what TensorFlow's header brings along.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/eigen.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/logging.h"
#include "opsrun_compat/node_def.h"
#include "opsrun/async_op_kernel.h"
#include "opsrun/macros.h"
#include "opsrun/mutex.h"
#include "opsrun/status_context.h"
#include "opsrun/strings.h"
#include "opsrun_compat/allocator.h"
#include "opsrun_compat/assign_or_return.h"
#include "opsrun_compat/tensor_proto.h"
#include "opsrun_compat/persistent_tensor.h"
#include "opsrun_compat/port.h"
#include "opsrun_compat/variant.h"

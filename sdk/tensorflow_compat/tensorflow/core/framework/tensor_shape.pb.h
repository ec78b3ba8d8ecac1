// tensorflow/core/framework/tensor_shape.pb.h: opsrun_compat/shape_proto.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/shape_proto.h"

// tensorflow/core/framework/tensor.pb.h: opsrun_compat/tensor_proto.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/tensor_proto.h"

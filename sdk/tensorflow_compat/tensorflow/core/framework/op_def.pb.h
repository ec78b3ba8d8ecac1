// tensorflow/core/framework/op_def.pb.h: opsrun_compat/op_def.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/op_def.h"

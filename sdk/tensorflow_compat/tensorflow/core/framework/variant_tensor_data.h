// tensorflow/core/framework/variant_tensor_data.h: see opsrun_compat/variant_tensor_data.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/variant_tensor_data.h"

// tensorflow/core/util/sparse/sparse_tensor.h: opsrun_compat/sparse_tensor.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/sparse_tensor.h"

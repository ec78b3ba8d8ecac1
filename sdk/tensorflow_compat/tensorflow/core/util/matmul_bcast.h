// tensorflow/core/util/matmul_bcast.h: opsrun_compat/matmul_bcast.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/matmul_bcast.h"
#include "tensorflow/core/util/bcast.h"

// tensorflow/core/util/padding.h: opsrun_compat/padding.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/padding.h"
#include "tensorflow/core/util/tensor_format.h"

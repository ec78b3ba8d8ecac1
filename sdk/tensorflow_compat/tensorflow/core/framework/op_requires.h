// tensorflow/core/framework/op_requires.h: opsrun/op_requires.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_requires.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/logging.h"

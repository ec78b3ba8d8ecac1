// tensorflow/core/framework/kernel_def_builder.h: opsrun/kernel_def.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/kernel_def.h"

// tensorflow/core/platform/denormal.h: opsrun_compat/float_modes.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/float_modes.h"

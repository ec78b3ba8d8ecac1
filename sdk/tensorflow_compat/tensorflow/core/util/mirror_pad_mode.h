// tensorflow/core/util/mirror_pad_mode.h: opsrun_compat/mirror_pad_mode.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/mirror_pad_mode.h"

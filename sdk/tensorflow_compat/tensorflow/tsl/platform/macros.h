// tensorflow/tsl/platform/macros.h: opsrun/macros.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/macros.h"

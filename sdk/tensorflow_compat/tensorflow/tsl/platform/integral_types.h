// tensorflow/tsl/platform/integral_types.h: opsrun/types.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/types.h"

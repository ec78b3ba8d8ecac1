// tensorflow/tsl/platform/float8.h: opsrun/float8.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/float8.h"

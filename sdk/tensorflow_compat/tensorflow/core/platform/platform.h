// tensorflow/core/platform/platform.h: opsrun/namespace.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/namespace.h"

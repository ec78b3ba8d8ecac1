// tensorflow/core/framework/shape_inference.h: opsrun/shape_inference.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status_context.h"

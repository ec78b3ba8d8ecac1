// tensorflow/tsl/platform/base64.h: opsrun_compat/base64.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/base64.h"

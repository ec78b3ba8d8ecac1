// tensorflow/tsl/platform/abi.h: opsrun_compat/abi.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/abi.h"

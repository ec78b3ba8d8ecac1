// tensorflow/tsl/util/device_name_utils.h: opsrun_compat/device_name_utils.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/device_name_utils.h"

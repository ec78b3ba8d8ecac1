// tensorflow/core/framework/device.h: opsrun/device_base.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/device_base.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/logging.h"

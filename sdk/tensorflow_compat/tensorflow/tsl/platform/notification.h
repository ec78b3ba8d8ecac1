// tensorflow/tsl/platform/notification.h: opsrun_compat/notification.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/notification.h"

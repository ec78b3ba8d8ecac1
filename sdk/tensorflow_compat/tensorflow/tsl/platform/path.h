// tensorflow/tsl/platform/path.h: opsrun_compat/path.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/path.h"
#include "opsrun/strings.h"

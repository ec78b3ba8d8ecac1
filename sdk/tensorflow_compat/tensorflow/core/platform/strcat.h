// tensorflow/core/platform/strcat.h: opsrun/strings.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/hex.h"

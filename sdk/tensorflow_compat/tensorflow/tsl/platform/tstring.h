// tensorflow/tsl/platform/tstring.h: opsrun/tstring.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tstring.h"

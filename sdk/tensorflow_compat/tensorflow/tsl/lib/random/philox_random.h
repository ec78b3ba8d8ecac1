// tensorflow/tsl/lib/random/philox_random.h: opsrun_compat/philox_random.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/philox_random.h"

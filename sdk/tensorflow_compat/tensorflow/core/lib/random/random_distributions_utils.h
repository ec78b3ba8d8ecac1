// tensorflow/core/lib/random/random_distributions_utils.h: opsrun_compat/random_numbers.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/random_numbers.h"

// tensorflow/tsl/lib/random/random_distributions.h: opsrun_compat/random_distributions.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/random_distributions.h"

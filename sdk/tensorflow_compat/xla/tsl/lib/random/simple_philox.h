// xla/tsl/lib/random/simple_philox.h: opsrun_compat/simple_philox.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/simple_philox.h"

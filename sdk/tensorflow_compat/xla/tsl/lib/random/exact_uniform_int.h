// xla/tsl/lib/random/exact_uniform_int.h: opsrun_compat/exact_uniform_int.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/exact_uniform_int.h"

// xla/tsl/lib/math/math_util.h: opsrun_compat/bits.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/bits.h"

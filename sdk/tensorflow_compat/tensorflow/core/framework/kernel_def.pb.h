// tensorflow/core/framework/kernel_def.pb.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error "opsrun has no tensorflow/core/framework/kernel_def.pb.h: REGISTER_KERNEL_BUILDER alone describes kernels; leave the include out"
#include "opsrun_compat/stop_after_the_error_above.h"

// xla/tsl/platform/mutex.h: opsrun/mutex.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun/mutex.h"
#include "opsrun_compat/logging.h"

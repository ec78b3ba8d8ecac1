// xla/tsl/lib/monitoring/timed.h: opsrun_compat/metrics.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/metrics.h"

// tsl/profiler/lib/scoped_annotation.h: opsrun_compat/traceme.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/traceme.h"

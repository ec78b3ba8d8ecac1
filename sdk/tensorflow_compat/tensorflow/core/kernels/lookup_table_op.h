// tensorflow/core/kernels/lookup_table_op.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error "opsrun has no tensorflow/core/kernels/lookup_table_op.h: keep the table in a class of your own derived from ResourceBase (tensorflow/core/framework/resource_mgr.h)"
#include "opsrun_compat/stop_after_the_error_above.h"

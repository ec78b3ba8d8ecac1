// opsrun_compat/dataset_allowlist.h: says nothing here, because there are no data sets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"

// TensorFlow's data sets may run functions with this op although it has state.
#define ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS(op) static_assert(sizeof(op) > 1, "expected the name of an op")

// tensorflow/core/framework/dataset_stateful_op_allowlist.h: opsrun_compat/dataset_allowlist.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/dataset_allowlist.h"

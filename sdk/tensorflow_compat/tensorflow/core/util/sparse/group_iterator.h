// tensorflow/core/util/sparse/group_iterator.h: opsrun_compat/sparse_groups.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/absl.h"
#include "opsrun_compat/sparse_groups.h"

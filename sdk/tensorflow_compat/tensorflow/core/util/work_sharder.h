// tensorflow/core/util/work_sharder.h: opsrun/shard.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/shard.h"
#include "opsrun_compat/threadpool.h"

// tsl/platform/threadpool.h: opsrun/thread_pool.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/thread_pool.h"

// tensorflow/core/framework/typed_allocator.h: opsrun_compat/allocator.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/std.h"
#include "opsrun_compat/allocator.h"
#include "opsrun/types.h"

// tensorflow/core/framework/allocator.h: opsrun/allocator_attributes.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/allocator_attributes.h"
#include "opsrun_compat/allocator.h"
#include "opsrun_compat/port.h"
#include "opsrun_compat/logging.h"

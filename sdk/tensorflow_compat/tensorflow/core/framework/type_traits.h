// tensorflow/core/framework/type_traits.h: opsrun_compat/type_traits.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/type_traits.h"

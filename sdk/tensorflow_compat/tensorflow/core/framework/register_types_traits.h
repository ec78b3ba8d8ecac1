// tensorflow/core/framework/register_types_traits.h: opsrun/register_types.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/eigen.h"
#include "opsrun/register_types.h"

// tensorflow/core/framework/attr_value_util.h: opsrun_compat/attr_value_util.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/attr_value_util.h"
#include "opsrun_compat/summarize_attr_value.h"

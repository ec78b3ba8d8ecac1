// tensorflow/core/framework/attr_value.pb.h: opsrun_compat/attr_value.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/attr_value.h"
#include "opsrun_compat/eigen.h"

// tensorflow/core/framework/op_requires.h: opsrun/op_requires.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_requires.h"

// tensorflow/core/platform/fingerprint.h: opsrun_compat/fingerprint.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/fingerprint.h"
#include "opsrun_compat/fingerprint128.h"

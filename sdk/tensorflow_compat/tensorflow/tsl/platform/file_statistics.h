// tensorflow/tsl/platform/file_statistics.h: opsrun_compat/files.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/files.h"

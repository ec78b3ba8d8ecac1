// xla/tsl/platform/thread_annotations.h: opsrun/thread_annotations.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/thread_annotations.h"
#include "opsrun_compat/absl.h"

// tsl/lib/random/weighted_picker.h: opsrun_compat/weighted_picker.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/weighted_picker.h"

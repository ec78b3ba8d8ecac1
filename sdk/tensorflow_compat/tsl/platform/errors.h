// tsl/platform/errors.h: opsrun/status.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"
#include "opsrun/status_context.h"

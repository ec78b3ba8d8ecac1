// xla/tsl/lib/hash/crc32c.h: opsrun_compat/crc32c.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/crc32c.h"

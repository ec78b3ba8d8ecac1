// tsl/lib/gtl/iterator_range.h: opsrun_compat/iterator_range.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/iterator_range.h"

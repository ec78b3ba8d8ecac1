// tsl/lib/random/distribution_sampler.h: opsrun_compat/distribution_sampler.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/distribution_sampler.h"

// tensorflow/core/framework/variant_encode_decode.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error "opsrun has no tensorflow/core/framework/variant_encode_decode.h: there are no variant tensors; pass an object as a resource (tensorflow/core/framework/resource_mgr.h)"
#include "opsrun_compat/stop_after_the_error_above.h"

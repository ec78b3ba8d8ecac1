// opsrun/internal/eigen_is_in.h: replaces what of the SDK depends on Eigen, now that Eigen's Tensor header is included.
//
// If Eigen is included first, the SDK headers that depend on it include these parts. This is for the other order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OPSRUN_EIGEN_IS_IN
#ifdef OPSRUN_MATCH_TYPE
#include "opsrun/internal/eigen_types.h"
#endif
#ifdef OPSRUN_ALWAYS_INLINE
#include "opsrun/internal/eigen_maps.h"
#endif
#ifdef OPSRUN_DEVICES_DECLARED
#include "opsrun/internal/eigen_devices.h"
#endif

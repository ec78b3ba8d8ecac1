// opsrun/internal/eigen_is_in.h: the parts of the SDK that depend on Eigen, included once Eigen's Tensor header is.
//
// If Eigen is included first, the SDK headers include these parts themselves. This header is for the other order.
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
